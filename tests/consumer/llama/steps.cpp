// SPDX-License-Identifier: MIT
#include "steps.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>

#include "derived.hpp"
#include "kernels.hpp"
#include "matrices.hpp"
#include "one_launch.hpp"

namespace llama {
namespace {

using namespace vkmoye;
using gen::KernelPlan;

// The threads of a workgroup of a layer in one launch: as many as products with packed weights have.
std::uint32_t threads_of_layer(const DeviceCaps& caps) {
  return std::min(512U, 16 * caps.subgroup_size);
}

// A plan of one kernel.
KernelPlan alone(const gen::ir::Kernel& kernel, const Arguments& arguments) {
  KernelPlan plan;
  gen::KernelStep step{kernel, arguments, {}};
  for (const Binding& binding : gen::ir::interface_of(kernel).bindings) {
    step.arrays.push_back(plan.arrays.size());
    plan.arrays.push_back(
        {binding.name, element_count(binding, arguments) * size_of(binding.type)});
  }
  plan.steps.push_back(std::move(step));
  return plan;
}

// Exponent of two near the weights of all norms: of the mean of their squares.
int exponent_of_norms(const Model& model) {
  double sum = 0, count = 0;
  const auto add = [&](const FileTensor& weight) {
    for (const double number : numbers_of(weight)) sum += number * number;
    count += static_cast<double>(weight.elements());
  };
  for (const Layer& layer : model.layers) {
    add(*layer.attention_norm);
    add(*layer.mlp_norm);
  }
  return sum > 0 && std::isfinite(sum) ? std::ilogb(std::sqrt(sum / count)) : 0;
}

class List {
 public:
  List(const Model& model, const StepOptions& options, Plans& plans)
      : sizes_(model.sizes),
        options_(options),
        plans_(plans),
        matrices_(plans, options.activations),
        norm_{.epsilon = sizes_.epsilon,
              .weights = exponent_of_norms(model),
              .lanes = plans.caps().subgroup_size,
              .threads = options.groups != 0 ? threads_of_layer(plans.caps()) : 0} {}

  // `count` rows of `width` elements.
  Part rows(const std::string& array, std::uint64_t width, std::uint64_t count) const {
    return {array, size_of(*type_of(array, options_)) * width * count};
  }
  Part rows(const std::string& array, std::uint64_t width) const {
    return rows(array, width, options_.count);
  }
  // `count` elements of 4 bytes.
  static Part words(const std::string& array, std::uint64_t count) { return {array, 4 * count}; }
  // A tensor that no product reads, alone in an array of this many bytes.
  Part loaded(const FileTensor& tensor, std::uint64_t bytes) {
    const Part part = {tensor.name, bytes};
    plans_.load(tensor.name, {{&tensor, part}});
    return part;
  }

  // Of a table that cannot be bound as a whole, by a kernel for each part of its rows.
  void embedding(const FileTensor& whole) {
    const TensorType& type = *whole.type;
    const auto blocks = static_cast<std::uint32_t>(sizes_.width / type.block_elements);
    for (const Rows& part : parts_to_bind(plans_, whole, whole.bytes.size() / sizes_.vocabulary)) {
      const auto entries = static_cast<std::uint32_t>(part.tensor->extents[1]);
      add("embedding", part.tensor->name,
          {loaded(*part.tensor, part.tensor->bytes.size()), words(options_.tokens, options_.count),
           rows("x", sizes_.width)},
          [&] {
            return alone(llama::embedding(type, part.first), {{"width", sizes_.width},
                                                              {"words", entries},
                                                              {"count", options_.count},
                                                              {"blocks", blocks}});
          });
    }
  }

  void norm(const FileTensor& weight, const Part& x, std::uint32_t count) {
    add("norm", std::to_string(count), {x, of_vector(weight), rows("h", sizes_.width, count)}, [&] {
      return alone(llama::normed(options_.activations, norm_),
                   {{"width", sizes_.width}, {"count", count}});
    });
  }
  // The last of the rows of x: itself for a token. It is copied, as it may begin where a device cannot bind it.
  Part last_row(const Part& x) {
    if (options_.count == 1) return x;
    const Part last = rows("last", sizes_.width, 1);
    add("last row", "", {x, last}, [&] {
      return alone(llama::last_row(), {{"width", sizes_.width}, {"count", options_.count}});
    });
    return last;
  }
  // h and its scale, of the first norm of a token.
  void weighted(const FileTensor& weight, const Part& x, const Part& scale, const Part& h) {
    add("weights", "", {x, of_vector(weight), scale, h}, [&] {
      return alone(llama::weighted(options_.activations, norm_), {{"width", sizes_.width}});
    });
  }
  // Of a matrix that cannot be bound as a whole, by a product for each part of its rows.
  void logits(const FileTensor& whole) {
    for (const auto& [output, first] : parts_to_bind(plans_, whole, matrices_.row_bytes(whole))) {
      product("logits", rows("h", sizes_.width, 1), *output,
              {"logits", 4 * output->extents[1], std::uint64_t{4} * first});
    }
  }
  void argmax() {
    of_rows("argmax", "argmax/rows", {}, sizes_.vocabulary, 1,
            {words("logits", sizes_.vocabulary), words("next", 1)});
    gen::KernelRequest request;
    request.elements().shape = {{1, sizes_.vocabulary, 1}};
    shipped("argmax", "embed/rows", request,
            {{"cols", 1}, {"entries", sizes_.vocabulary}, {"rows", 1}},
            {words("logits", sizes_.vocabulary), words("next", 1), words("logit", 1)});
  }
  // The layer of the following steps.
  void begin_layer(std::uint32_t layer) { layer_ = layer; }
  void end_layers() { layer_.reset(); }

  // The product of `a` and `weight` in c; see Result.
  void product(const std::string& label, const Part& a, const Matrix& weight, const Part& c,
               Result result = Result::stored) {
    product(label, {a, weight.part, c}, weight, result);
  }
  void product(const std::string& label, const Part& a, const FileTensor& weight, const Part& c,
               Result result = Result::stored) {
    product(label, a, matrices_.load({&weight}).front(), c, result);
  }
  // x += a * weight, and h of `norm`, of a token.
  void weighted_product(const std::string& label, const Part& a, const FileTensor& weight,
                        const FileTensor& norm, const Part& scale, const Part& x, const Part& h,
                        Result result) {
    const Matrix matrix = matrices_.load({&weight}).front();
    product(label, {a, matrix.part, of_vector(norm), scale, x, h}, matrix, result);
  }
  // The products of `a` and each weight, in parts of an array; of a token, one product in one part if it can be.
  std::vector<Part> products(const std::string& label, const std::string& array, const Part& a,
                             const std::vector<const FileTensor*>& weights) {
    const std::vector<Matrix> matrices = matrices_.load(weights);
    std::vector<std::uint64_t> widths;
    for (const Matrix& matrix : matrices) widths.push_back(static_cast<std::uint64_t>(matrix.n));
    const std::vector<Part> out = rows_of(array, widths, options_);
    const auto whole = joined(matrices);
    if (const auto row = row_of(out); row && whole) {
      product(label, a, *whole, *row);
      return {*row};
    }
    for (std::size_t i = 0; i < out.size(); ++i) product(label, a, matrices[i], out[i]);
    return out;
  }
  // gated = silu(gate * a) * (up * a), of several tokens: the second product multiplies by the first.
  void gated_products(const Part& a, const FileTensor& gate, const FileTensor& up,
                      const Part& gated) {
    const std::vector<Matrix> matrices = matrices_.load({&gate, &up});
    const Part of_gate = rows("gate", sizes_.hidden);
    product("gate up", a, matrices[0], of_gate);
    product("gate up", {a, matrices[1].part, of_gate, gated}, matrices[1], Result::gated);
  }
  // The same of the sums of a token.
  void gated(const std::vector<Part>& gate_up, const Part& x, const Part& scale,
             const Part& next_scale, const Part& gated) {
    std::vector<Part> arrays = gate_up;
    arrays.insert(arrays.end(), {x, scale, next_scale, gated});
    const bool together = gate_up.size() == 1;
    add("silu", together ? "together" : "", std::move(arrays), [&] {
      return alone(llama::gated(options_.activations, norm_, together),
                   {{"hidden", sizes_.hidden}, {"width", sizes_.width}});
    });
  }

  // The rows of q or k as kernels rotate them.
  const FileTensor& in_pairs(const FileTensor& tensor) {
    return llama::in_pairs(plans_, tensor, sizes_);
  }
  // Rotates q and k, and appends k and v to the caches; those of a token are sums that are scaled by the norm of x.
  void rotate_and_append(const Layer& layer, const std::vector<Part>& qkv, const Part& x,
                         const Part& scale, const Part& next_scale, const Part& rotated,
                         const Part& cache_k, const Part& cache_v) {
    const std::uint32_t pairs = sizes_.head / 2, count = options_.count;
    std::vector<Part> arrays = qkv;
    arrays.insert(arrays.end(), {words("positions", count), words("frequencies", pairs)});
    if (count == 1) arrays.insert(arrays.end(), {x, scale, next_scale});
    const Heads are = {.are_sums = count == 1,
                       .are_together = qkv.size() == 1,
                       .have_biases = layer.q_bias != nullptr,
                       .have_norms = layer.q_norm != nullptr};
    const auto vector = [&](const FileTensor& tensor) { arrays.push_back(of_vector(tensor)); };
    if (are.have_biases) {
      vector(in_pairs(*layer.q_bias));
      vector(in_pairs(*layer.k_bias));
      vector(*layer.v_bias);
    }
    if (are.have_norms) {
      vector(in_pairs(*layer.q_norm));
      vector(in_pairs(*layer.k_norm));
    }
    arrays.insert(arrays.end(), {rotated, cache_k, cache_v});
    const std::string variant =
        std::string(are.have_biases ? "with biases" : "") + (are.are_together ? " together" : "");
    add("rotation", variant, std::move(arrays), [&] {
      Arguments arguments = {{"pairs", pairs},
                             {"heads", sizes_.heads},
                             {"kv_heads", sizes_.kv_heads},
                             {"count", count},
                             {"places", options_.places}};
      if (count == 1) arguments["width"] = sizes_.width;
      if (are.are_together) arguments["all_heads"] = sizes_.heads + 2 * sizes_.kv_heads;
      return alone(llama::rotate_and_append(options_.activations, options_.cache, norm_, are),
                   arguments);
    });
  }

  // The queries are the last of the keys, whose number is in `length`.
  void attention(const Part& q, const Part& cache_k, const Part& cache_v) {
    gen::AttentionCall call;
    call.queries = options_.count;
    call.keys = options_.places;
    call.heads = sizes_.heads;
    call.kv_heads = sizes_.kv_heads;
    call.scale = sizes_.scale;
    call.form.width = call.form.value_width = sizes_.head;
    call.form.causal = call.form.lengths = true;
    call.form.orders = {gen::AttentionOrder::bshd};
    call.form.key_type = call.form.value_type = options_.cache;
    add("attention", "", {q, cache_k, cache_v, words("length", 1), rows("mixed", sizes_.q())}, [&] {
      const ScalarType type = options_.activations;
      if (options_.count > 1) return gen::attention_plan(call, type, plans_.caps());
      gen::KernelRequest request = gen::request_of(call, type, plans_.caps());
      if (options_.groups != 0) request.options = options_of_attention();
      return gen::attention_plan(*gen::find_kernel("attention/decode"), request);
    });
  }

  std::vector<Step> take() { return std::move(steps_); }

 private:
  // Of one launch for a layer: a slice for each workgroup.
  gen::Options options_of_attention() const {
    const std::uint32_t slices = std::max(1U, options_.groups / sizes_.kv_heads);
    return {{"threads", std::to_string(threads_of_layer(plans_.caps()))},
            {"slices", std::to_string(slices)},
            // With 8, sums of 128 elements for each row take more registers than 512 threads have.
            {"key-threads", std::to_string(std::min(16U, plans_.caps().subgroup_size))},
            {"reads", "2"}};
  }

  Part of_vector(const FileTensor& weight) { return loaded(weight, weight.bytes.size()); }

  // Of a plan with these arrays.
  void product(const std::string& label, const std::vector<Part>& arrays, const Matrix& weight,
               Result result) {
    const auto m =
        static_cast<std::int64_t>(arrays.front().bytes / size_of(options_.activations)) / weight.k;
    const bool weighs =
        result == Result::added_and_weighted || result == Result::of_gated_and_weighted;
    const Part& c = arrays[arrays.size() - (weighs ? 2 : 1)];
    const ScalarType type = *type_of(c.array, options_);
    arrays_of(label, matrices_.product(m, weight, type, result), arrays);
  }
  // The parts as one, if they are those of a single row.
  std::optional<Part> row_of(const std::vector<Part>& parts) const {
    return options_.count == 1 ? joined(parts) : std::nullopt;
  }

  // A kernel of vkmoye's registry.
  void shipped(const std::string& label, const std::string& kernel, gen::KernelRequest request,
               const Arguments& arguments, std::vector<Part> arrays) {
    std::string shape;
    for (const std::int64_t extent : *request.elements().shape)
      shape += std::to_string(extent) + "x";
    add(label, kernel + " " + shape, std::move(arrays), [&] {
      request.device = plans_.caps();
      return alone(gen::find_kernel(kernel)->describe(request), arguments);
    });
  }
  // One of the kernels on `count` rows.
  void of_rows(const std::string& label, const std::string& kernel, gen::KernelRequest request,
               std::uint32_t width, std::uint32_t count, std::vector<Part> arrays) {
    request.elements().shape = {{count, width}};
    shipped(label, kernel, std::move(request), {{"rows", count}, {"cols", width}},
            std::move(arrays));
  }

  void arrays_of(const std::string& label, std::size_t plan, std::vector<Part> arrays) {
    steps_.push_back({label, layer_, plan, std::move(arrays)});
  }
  void add(const std::string& label, const std::string& variant, std::vector<Part> arrays,
           const std::function<KernelPlan()>& describe) {
    const std::string key = label + " " + variant + " of " + std::to_string(options_.count) +
                            (options_.groups != 0 ? " in one launch" : "");
    arrays_of(label, plans_.number(key, describe), std::move(arrays));
  }

  const Sizes& sizes_;
  const StepOptions& options_;
  Plans& plans_;
  Matrices matrices_;
  Norm norm_;
  std::optional<std::uint32_t> layer_;
  std::vector<Step> steps_;
};

}  // namespace

std::vector<Step> steps_of(const Model& model, const StepOptions& options, Plans& plans) {
  const Sizes& sizes = model.sizes;
  const std::uint32_t count = options.count;
  if (sizes.window != 0 && options.places > sizes.window) {
    throw std::runtime_error("attention.sliding_window is " + std::to_string(sizes.window) +
                             ": tokens would see only the last ones of " +
                             std::to_string(options.places));
  }
  const auto state = state_of(sizes, options);
  List list(model, options, plans);
  const Part x = list.rows("x", sizes.width), h = list.rows("h", sizes.width);
  const Part rotated = list.rows("rotated", sizes.q()), gated = list.rows("gated", sizes.hidden);
  // Of h of the two norms of a layer.
  const Part of_attention = List::words("scale of attention", 1),
             of_mlp = List::words("scale of mlp", 1);
  const bool is_token = count == 1;  // then norms are no kernels: see steps.hpp
  list.embedding(*model.embedding);
  if (is_token) list.weighted(*model.layers.front().attention_norm, x, of_attention, h);
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const Layer& layer = model.layers[i];
    list.begin_layer(static_cast<std::uint32_t>(i));
    const auto cache = [&](const std::string& name) {
      const std::string array = name + "." + std::to_string(i);
      return Part{array, state.at(array)};
    };
    const Part cache_k = cache("cache_k"), cache_v = cache("cache_v");
    if (!is_token) list.norm(*layer.attention_norm, x, count);
    const auto qkv = list.products("q k v", is_token ? "sums of q k v" : "q k v", h,
                                   {&list.in_pairs(*layer.q), &list.in_pairs(*layer.k), layer.v});
    list.rotate_and_append(layer, qkv, x, of_attention, of_mlp, rotated, cache_k, cache_v);
    list.attention(rotated, cache_k, cache_v);
    const Part mixed = list.rows("mixed", sizes.q());
    if (is_token) {
      list.weighted_product("o", mixed, *layer.o, *layer.mlp_norm, of_mlp, x, h,
                            Result::added_and_weighted);
      const auto gate_up = list.products("gate up", "sums of gate up", h, {layer.gate, layer.up});
      list.gated(gate_up, x, of_mlp, of_attention, gated);
    } else {
      list.product("o", mixed, *layer.o, x, Result::added);
      list.norm(*layer.mlp_norm, x, count);
      list.gated_products(h, *layer.gate, *layer.up, gated);
    }
    if (is_token && i + 1 < model.layers.size()) {
      list.weighted_product("down", gated, *layer.down, *model.layers[i + 1].attention_norm,
                            of_attention, x, h, Result::of_gated_and_weighted);
    } else {
      list.product("down", gated, *layer.down, x, Result::of_gated);
    }
  }
  list.end_layers();
  list.norm(*model.output_norm, list.last_row(x), 1);
  list.logits(*model.output);
  list.argmax();
  std::vector<Step> steps = list.take();
  return options.groups != 0 ? with_layers_as_one(steps, plans, options.groups) : steps;
}

}  // namespace llama
