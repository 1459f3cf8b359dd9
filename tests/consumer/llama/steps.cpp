// SPDX-License-Identifier: MIT
#include "steps.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <utility>

#include "kernels.hpp"

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

class List {
 public:
  List(const Model& model, const StepOptions& options, Plans& plans)
      : sizes_(model.sizes),
        options_(options),
        plans_(plans),
        packs_(options.activations == ScalarType::f16 && has_layout('a') && has_layout('b')) {}

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
  static Part whole(const FileTensor& tensor) { return {tensor.name, tensor.bytes.size()}; }

  void embedding(const FileTensor& table) {
    std::vector<Part> arrays = {whole(table), words(options_.tokens, options_.count),
                                rows("x", sizes_.width)};
    const std::uint32_t vocabulary = sizes_.vocabulary, count = options_.count;
    if (table.type->blocks == nullptr) {
      gen::KernelRequest request;
      request.type = table.type->scalar;
      request.result = options_.activations;
      request.shape = {{count, vocabulary, sizes_.width}};
      return shipped("embedding", "embed/rows", request,
                     {{"cols", sizes_.width}, {"words", vocabulary}, {"rows", count}},
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
            {x, rows(weight.name, sizes_.width, 1), rows("h", sizes_.width, count)});
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

  // c = a * weight, or c += a * weight.
  void product(const std::string& label, const Part& a, const FileTensor& weight, const Part& c,
               bool adds = false) {
    const auto k = static_cast<std::int64_t>(weight.extents[0]);
    const auto n = static_cast<std::int64_t>(weight.extents[1]);
    const auto m = static_cast<std::int64_t>(a.bytes / size_of(options_.activations)) / k;
    gen::GemmCall call;
    call.a_type = options_.activations;
    call.result = c.array == "logits" ? ScalarType::f32 : options_.activations;
    call.weights = weight.type->blocks;
    call.b_type = weight.type->scalar;
    call.beta = adds ? 1 : 0;
    const std::string of_n_and_k =
        weight.type->name + " " + std::to_string(n) + "x" + std::to_string(k);
    const std::string key = "product of " + std::to_string(m) + ", " + of_n_and_k +
                            (adds ? " adds" : "") + (c.array == "logits" ? " logits" : "");
    if (!packs_ || weight.type->blocks == nullptr) {
      const auto plan = [&] { return gen::gemm_plan(call, {m, n, k}, plans_.caps()); };
      return arrays_of(label, plans_.number(key, plan), {a, whole(weight), c});
    }
    const gen::KernelRequest request = gen::request_of(call, {m, n, k}, plans_.caps());
    const auto packing = [&] { return gen::pack_plan(request, call, {m, n, k}, 1); };
    const auto plan = [&] {
      return gen::gemm_plan(*gen::find_kernel("gemm/packed_weights"), request, call, {m, n, k},
                            {.comes_packed = {false, true}});
    };
    const std::size_t packs = plans_.number("packing of " + of_n_and_k, packing);
    const Part packed = {weight.name + ", packed", plans_.compiled()[packs].arrays[1].bytes};
    plans_.pack(packed.array, {&weight, packs});
    arrays_of(label, plans_.number(key, plan), {a, packed, c});
  }

  // The pairs of a head are neighbours: the default of rope/rows.
  void rotation(const std::string& from, const std::string& to, std::uint32_t heads) {
    const std::uint64_t width = std::uint64_t{heads} * sizes_.head;
    const std::uint32_t pairs = sizes_.head / 2, count = options_.count;
    gen::KernelRequest request;
    request.type = options_.activations;
    request.shape = {{count, heads, sizes_.head}};
    if (count == 1) request.options = {{"rounds", "1"}};  // more workgroups for a token
    shipped("rotation", "rope/rows", request,
            {{"pairs", pairs}, {"heads", heads}, {"tokens", count}},
            {rows(from, width), words("positions", count), words("frequencies", pairs),
             rows(to, width)});
  }

  void append(const Part& cache_k, const Part& cache_v) {
    add("append", "",
        {rows("k_rotated", sizes_.kv()), rows("v", sizes_.kv()), words("positions", options_.count),
         cache_k, cache_v},
        [&] {
          return alone(
              llama::append(options_.activations, options_.cache),
              {{"width", sizes_.kv()}, {"count", options_.count}, {"places", options_.places}});
        });
  }

  // The queries are the last of the keys, whose number is in `length`.
  void attention(const Part& cache_k, const Part& cache_v) {
    gen::AttentionCall call;
    call.queries = options_.count;
    call.keys = options_.places;
    call.heads = sizes_.heads;
    call.kv_heads = sizes_.kv_heads;
    call.form.width = call.form.value_width = sizes_.head;
    call.form.causal = call.form.lengths = true;
    call.form.orders = {gen::AttentionOrder::bshd};
    call.form.key_type = call.form.value_type = options_.cache;
    add("attention", "",
        {rows("q_rotated", sizes_.q()), cache_k, cache_v, words("length", 1),
         rows("mixed", sizes_.q())},
        [&] {
          const ScalarType type = options_.activations;
          if (options_.count > 1) return gen::attention_plan(call, type, plans_.caps());
          return gen::attention_plan(*gen::find_kernel("attention/decode"),
                                     gen::request_of(call, type, plans_.caps()));
        });
  }

  std::vector<Step> take() { return std::move(steps_); }

 private:
  // Whether matrix units hold operands of f16 in an order that is a layout.
  bool has_layout(char use) const {
    const auto& orders = plans_.caps().fragment_orders;
    return std::any_of(orders.begin(), orders.end(), [&](const FragmentOrder& order) {
      return order.use == use && order.type == "f16" && gen::fragment_layout(order).layout;
    });
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
  const bool packs_;  // whether products take matrices in blocks packed
  std::vector<Step> steps_;
};

}  // namespace

std::size_t Plans::number(const std::string& key, const std::function<KernelPlan()>& describe) {
  const auto found = numbers_.find(key);
  if (found != numbers_.end()) return found->second;
  compiled_.push_back(gen::compile(describe(), caps_));
  return numbers_[key] = compiled_.size() - 1;
}

std::map<std::string, std::uint64_t> state_of(const Sizes& sizes, const StepOptions& options) {
  const auto rows = [&](std::uint64_t width) {
    return size_of(options.activations) * width * options.count;
  };
  const std::uint64_t words = std::uint64_t{4} * options.count;
  std::map<std::string, std::uint64_t> out = {{"tokens", words},
                                              {"positions", words},
                                              {"length", 4},
                                              {"next", 4},
                                              {"frequencies", std::uint64_t{4} * (sizes.head / 2)},
                                              {"x", rows(sizes.width)},
                                              {"h", rows(sizes.width)},
                                              {"q", rows(sizes.q())},
                                              {"q_rotated", rows(sizes.q())},
                                              {"k", rows(sizes.kv())},
                                              {"k_rotated", rows(sizes.kv())},
                                              {"v", rows(sizes.kv())},
                                              {"mixed", rows(sizes.q())},
                                              {"gate", rows(sizes.hidden)},
                                              {"up", rows(sizes.hidden)},
                                              {"gated", rows(sizes.hidden)},
                                              {"logits", std::uint64_t{4} * sizes.vocabulary}};
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
  const Part gate = list.rows("gate", sizes.hidden), up = list.rows("up", sizes.hidden);
  const Part gated = list.rows("gated", sizes.hidden);
  list.embedding(*model.embedding);
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const Layer& layer = model.layers[i];
    const auto cache = [&](const std::string& name) {
      const std::string array = name + "." + std::to_string(i);
      return Part{array, state.at(array)};
    };
    const Part cache_k = cache("cache_k"), cache_v = cache("cache_v");
    list.norm(*layer.attention_norm, x, count);
    list.product("q k v", h, *layer.q, list.rows("q", sizes.q()));
    list.product("q k v", h, *layer.k, list.rows("k", sizes.kv()));
    list.product("q k v", h, *layer.v, list.rows("v", sizes.kv()));
    list.rotation("q", "q_rotated", sizes.heads);
    list.rotation("k", "k_rotated", sizes.kv_heads);
    list.append(cache_k, cache_v);
    list.attention(cache_k, cache_v);
    list.product("o", list.rows("mixed", sizes.q()), *layer.o, x, true);
    list.norm(*layer.mlp_norm, x, count);
    list.product("gate up", h, *layer.gate, gate);
    list.product("gate up", h, *layer.up, up);
    list.silu(gate, up, gated);
    list.product("down", gated, *layer.down, x, true);
  }
  list.norm(*model.output_norm, list.rows("x", sizes.width, 1, count - 1), 1);
  list.product("logits", list.rows("h", sizes.width, 1), *model.output,
               List::words("logits", sizes.vocabulary));
  list.argmax();
  return list.take();
}

}  // namespace llama
