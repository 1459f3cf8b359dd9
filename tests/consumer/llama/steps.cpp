// SPDX-License-Identifier: MIT
#include "steps.hpp"

#include <cstdio>
#include <numeric>
#include <optional>
#include <utility>

#include "kernels.hpp"
#include "matrices.hpp"

namespace llama {
namespace {

using namespace vkmoye;
using gen::KernelPlan;

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

// Rows of these numbers of activations, one after the other in an array.
std::vector<Part> rows_of(const std::string& array, std::vector<std::uint64_t> widths,
                          const StepOptions& options) {
  for (std::uint64_t& width : widths) width *= size_of(options.activations) * options.count;
  return parts_of(array, widths);
}

class List {
 public:
  List(const Model& model, const StepOptions& options, Plans& plans)
      : sizes_(model.sizes),
        options_(options),
        plans_(plans),
        matrices_(plans, options.activations) {}

  // `count` rows of `width` activations, from row `first` on.
  Part rows(const std::string& array, std::uint64_t width, std::uint64_t count,
            std::uint64_t first = 0) const {
    const std::uint64_t bytes = size_of(options_.activations) * width;
    return {array, bytes * count, bytes * first};
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

  void embedding(const FileTensor& table) {
    std::vector<Part> arrays = {loaded(table, table.bytes.size()),
                                words(options_.tokens, options_.count), rows("x", sizes_.width)};
    const std::uint32_t vocabulary = sizes_.vocabulary, count = options_.count;
    if (table.type->blocks == nullptr) {
      gen::KernelRequest request;
      request.type = table.type->scalar;
      request.result = options_.activations;
      request.shape = {{count, vocabulary, sizes_.width}};
      return shipped("embedding", "embed/rows", request,
                     {{"cols", sizes_.width}, {"entries", vocabulary}, {"rows", count}},
                     std::move(arrays));
    }
    const auto blocks = static_cast<std::uint32_t>(sizes_.width / table.type->block_elements);
    add("embedding", "", std::move(arrays), [&] {
      return alone(
          llama::embedding(*table.type->blocks, options_.activations),
          {{"width", sizes_.width}, {"words", vocabulary}, {"count", count}, {"blocks", blocks}});
    });
  }

  void norm(const FileTensor& weight, const Part& x, std::uint32_t count) {
    gen::KernelRequest request;
    request.type = options_.activations;
    request.options = {{"epsilon", real(sizes_.epsilon)}};
    of_rows("norm", "norm/rms", request, sizes_.width, count,
            {x, loaded(weight, rows("", sizes_.width, 1).bytes), rows("h", sizes_.width, count)});
  }
  void silu(const Part& gate, const Part& up, const Part& gated) {
    gen::KernelRequest request;
    request.type = options_.activations;
    // Each element by itself: rows of any length will do, and short ones occupy more of a device.
    const std::uint32_t width = std::gcd(sizes_.hidden, 1024U);
    of_rows("silu", "gate/rows", request, width, sizes_.hidden / width * options_.count,
            {gate, up, gated});
  }
  void argmax() {
    of_rows("argmax", "argmax/rows", {}, sizes_.vocabulary, 1,
            {words("logits", sizes_.vocabulary), words("next", 1)});
  }

  // The product of `a` and `weight` in c; see Result.
  void product(const std::string& label, const Part& a, const Matrix& weight, const Part& c,
               Result result = Result::stored) {
    product(label, {a, weight.part, c}, weight, result);
  }
  void product(const std::string& label, const Part& a, const FileTensor& weight, const Part& c,
               Result result = Result::stored) {
    product(label, a, matrices_.load({&weight}).front(), c, result);
  }
  // The products of `a` and each weight, in parts of an array; of a token, one product if it can be.
  std::vector<Part> products(const std::string& array, const Part& a,
                             const std::vector<const FileTensor*>& weights) {
    const std::vector<Matrix> matrices = matrices_.load(weights);
    const std::vector<Part> out = results_of(array, matrices);
    if (!product_of_row(array, a, matrices, out)) {
      for (std::size_t i = 0; i < out.size(); ++i) product(array, a, matrices[i], out[i]);
    }
    return out;
  }
  // gated = silu(gate * a) * (up * a): of a token, one product and a kernel if it can be; else the second product
  // multiplies its results.
  void gated_products(const Part& a, const FileTensor& gate, const FileTensor& up,
                      const Part& gated) {
    const std::string array = "gate up";
    const std::vector<Matrix> matrices = matrices_.load({&gate, &up});
    const std::vector<Part> out = results_of(array, matrices);
    if (product_of_row(array, a, matrices, out)) {
      silu(out[0], out[1], gated);
    } else {
      product(array, a, matrices[0], out[0]);
      product(array, {a, matrices[1].part, out[0], gated}, matrices[1], Result::gated);
    }
  }

  // Rotates q and k, and appends k and v to the caches.
  void rotate_and_append(const std::vector<Part>& qkv, const Part& rotated, const Part& cache_k,
                         const Part& cache_v) {
    const std::uint32_t pairs = sizes_.head / 2, count = options_.count;
    std::vector<Part> arrays = qkv;
    arrays.insert(arrays.end(), {words("positions", count), words("frequencies", pairs), rotated,
                                 cache_k, cache_v});
    add("rotation", "", std::move(arrays), [&] {
      return alone(llama::rotate_and_append(options_.activations, options_.cache),
                   {{"pairs", pairs},
                    {"heads", sizes_.heads},
                    {"kv_heads", sizes_.kv_heads},
                    {"count", count},
                    {"places", options_.places}});
    });
  }

  // The queries are the last of the keys, whose number is in `length`.
  void attention(const Part& q, const Part& cache_k, const Part& cache_v) {
    gen::AttentionCall call;
    call.queries = options_.count;
    call.keys = options_.places;
    call.heads = sizes_.heads;
    call.kv_heads = sizes_.kv_heads;
    call.form.width = call.form.value_width = sizes_.head;
    call.form.causal = call.form.lengths = true;
    call.form.orders = {gen::AttentionOrder::bshd};
    call.form.key_type = call.form.value_type = options_.cache;
    add("attention", "", {q, cache_k, cache_v, words("length", 1), rows("mixed", sizes_.q())}, [&] {
      const ScalarType type = options_.activations;
      if (options_.count > 1) return gen::attention_plan(call, type, plans_.caps());
      return gen::attention_plan(*gen::find_kernel("attention/decode"),
                                 gen::request_of(call, type, plans_.caps()));
    });
  }

  std::vector<Step> take() { return std::move(steps_); }

 private:
  // The plan has the arrays a, .., c.
  void product(const std::string& label, const std::vector<Part>& arrays, const Matrix& weight,
               Result result) {
    const auto m =
        static_cast<std::int64_t>(arrays.front().bytes / size_of(options_.activations)) / weight.k;
    const ScalarType type =
        arrays.back().array == "logits" ? ScalarType::f32 : options_.activations;
    arrays_of(label, matrices_.product(m, weight, type, result), arrays);
  }
  // Parts of an array for the products of all tokens and each matrix.
  std::vector<Part> results_of(const std::string& array,
                               const std::vector<Matrix>& matrices) const {
    std::vector<std::uint64_t> widths;
    for (const Matrix& matrix : matrices) widths.push_back(static_cast<std::uint64_t>(matrix.n));
    return rows_of(array, widths, options_);
  }
  // One product of a token and all matrices, if both these and the results lie one after the other.
  bool product_of_row(const std::string& label, const Part& a, const std::vector<Matrix>& matrices,
                      const std::vector<Part>& results) {
    const auto whole = joined(matrices);
    const auto row = row_of(results);
    if (!row || !whole) return false;
    product(label, a, *whole, *row);
    return true;
  }
  // The parts as one, if they are those of a single row.
  std::optional<Part> row_of(const std::vector<Part>& parts) const {
    return options_.count == 1 ? joined(parts) : std::nullopt;
  }
  static std::string real(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.17g", value);
    return text;
  }

  // A kernel of vkmoye's registry.
  void shipped(const std::string& label, const std::string& kernel, gen::KernelRequest request,
               const Arguments& arguments, std::vector<Part> arrays) {
    std::string shape;
    for (const std::int64_t extent : *request.shape) shape += std::to_string(extent) + "x";
    add(label, kernel + " " + shape, std::move(arrays), [&] {
      request.device = plans_.caps();
      return alone(gen::find_kernel(kernel)->describe(request), arguments);
    });
  }
  // One of the kernels on `count` rows.
  void of_rows(const std::string& label, const std::string& kernel, gen::KernelRequest request,
               std::uint32_t width, std::uint32_t count, std::vector<Part> arrays) {
    request.shape = {{count, width}};
    shipped(label, kernel, std::move(request), {{"rows", count}, {"cols", width}},
            std::move(arrays));
  }

  void arrays_of(const std::string& label, std::size_t plan, std::vector<Part> arrays) {
    steps_.push_back({label, plan, std::move(arrays)});
  }
  void add(const std::string& label, const std::string& variant, std::vector<Part> arrays,
           const std::function<KernelPlan()>& describe) {
    const std::string key = label + " " + variant + " of " + std::to_string(options_.count);
    arrays_of(label, plans_.number(key, describe), std::move(arrays));
  }

  const Sizes& sizes_;
  const StepOptions& options_;
  Plans& plans_;
  Matrices matrices_;
  std::vector<Step> steps_;
};

}  // namespace

std::map<std::string, std::uint64_t> state_of(const Sizes& sizes, const StepOptions& options) {
  const std::uint64_t words = std::uint64_t{4} * options.count;
  std::map<std::string, std::uint64_t> out = {{"tokens", words},
                                              {"positions", words},
                                              {"length", 4},
                                              {"next", 4},
                                              {"frequencies", std::uint64_t{4} * (sizes.head / 2)},
                                              {"logits", std::uint64_t{4} * sizes.vocabulary}};
  const auto rows = [&](const std::string& array, const std::vector<std::uint64_t>& widths) {
    out[array] = rows_of(array, widths, options).back().end();
  };
  rows("x", {sizes.width});
  rows("h", {sizes.width});
  rows("q k v", {sizes.q(), sizes.kv(), sizes.kv()});
  rows("rotated", {sizes.q()});
  rows("mixed", {sizes.q()});
  rows("gate up", {sizes.hidden, sizes.hidden});
  rows("gated", {sizes.hidden});
  for (std::uint32_t i = 0; i < sizes.layers; ++i) {
    const std::uint64_t bytes = std::uint64_t{options.places} * sizes.kv() * size_of(options.cache);
    out["cache_k." + std::to_string(i)] = bytes;
    out["cache_v." + std::to_string(i)] = bytes;
  }
  return out;
}

std::vector<Step> steps_of(const Model& model, const StepOptions& options, Plans& plans) {
  const Sizes& sizes = model.sizes;
  const std::uint32_t count = options.count;
  const auto state = state_of(sizes, options);
  List list(model, options, plans);
  const Part x = list.rows("x", sizes.width), h = list.rows("h", sizes.width);
  const Part rotated = list.rows("rotated", sizes.q()), gated = list.rows("gated", sizes.hidden);
  list.embedding(*model.embedding);
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const Layer& layer = model.layers[i];
    const auto cache = [&](const std::string& name) {
      const std::string array = name + "." + std::to_string(i);
      return Part{array, state.at(array)};
    };
    const Part cache_k = cache("cache_k"), cache_v = cache("cache_v");
    list.norm(*layer.attention_norm, x, count);
    const auto qkv = list.products("q k v", h, {layer.q, layer.k, layer.v});
    list.rotate_and_append(qkv, rotated, cache_k, cache_v);
    list.attention(rotated, cache_k, cache_v);
    list.product("o", list.rows("mixed", sizes.q()), *layer.o, x, Result::added);
    list.norm(*layer.mlp_norm, x, count);
    list.gated_products(h, *layer.gate, *layer.up, gated);
    list.product("down", gated, *layer.down, x, Result::added);
  }
  list.norm(*model.output_norm, list.rows("x", sizes.width, 1, count - 1), 1);
  list.product("logits", list.rows("h", sizes.width, 1), *model.output,
               List::words("logits", sizes.vocabulary));
  list.argmax();
  return list.take();
}

}  // namespace llama
