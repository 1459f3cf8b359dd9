// SPDX-License-Identifier: MIT
#include "steps.hpp"

#include <cstdio>
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
      : sizes_(model.sizes), options_(options), plans_(plans) {}

  // `count` rows of `width` elements of 4 bytes, from row `first` on.
  static Part rows(const std::string& array, std::uint64_t width, std::uint64_t count,
                   std::uint64_t first = 0) {
    return {array, 4 * width * count, 4 * width * first};
  }
  Part rows(const std::string& array, std::uint64_t width) const {
    return rows(array, width, options_.count);
  }
  static Part whole(const FileTensor& tensor) { return {tensor.name, tensor.bytes.size()}; }

  void embedding(const FileTensor& table) {
    std::vector<Part> arrays = {whole(table), rows(options_.tokens, 1), rows("x", sizes_.width)};
    const std::uint32_t words = sizes_.vocabulary, count = options_.count;
    if (table.type->blocks == nullptr) {
      gen::KernelRequest request;
      request.type = table.type->scalar;
      request.result = ScalarType::f32;
      request.shape = {{count, words, sizes_.width}};
      return shipped("embedding", "embed/rows", request,
                     {{"cols", sizes_.width}, {"words", words}, {"rows", count}},
                     std::move(arrays));
    }
    const auto blocks = static_cast<std::uint32_t>(sizes_.width / table.type->block_elements);
    add("embedding", "", std::move(arrays), [&] {
      return alone(
          llama::embedding(*table.type->blocks),
          {{"width", sizes_.width}, {"words", words}, {"count", count}, {"blocks", blocks}});
    });
  }

  void norm(const FileTensor& weight, const Part& x, std::uint32_t count) {
    gen::KernelRequest request;
    request.options = {{"epsilon", real(sizes_.epsilon)}};
    of_rows("norm", "norm/rms", request, sizes_.width, count,
            {x, whole(weight), rows("h", sizes_.width, count)});
  }
  void silu(const Part& gate, const Part& up, const Part& gated) {
    of_rows("silu", "gate/rows", {}, sizes_.hidden, options_.count, {gate, up, gated});
  }
  void argmax() {
    of_rows("argmax", "argmax/rows", {}, sizes_.vocabulary, 1,
            {rows("logits", sizes_.vocabulary, 1), rows("next", 1, 1)});
  }

  // c = a * weight, or c += a * weight.
  void product(const std::string& label, const Part& a, const FileTensor& weight, const Part& c,
               bool adds = false) {
    const auto k = static_cast<std::int64_t>(weight.extents[0]);
    const auto n = static_cast<std::int64_t>(weight.extents[1]);
    const auto m = static_cast<std::int64_t>(a.bytes / 4) / k;
    gen::GemmCall call;
    call.weights = weight.type->blocks;
    call.b_type = weight.type->scalar;
    call.beta = adds ? 1 : 0;
    const std::string key = weight.type->name + " " + std::to_string(m) + "x" + std::to_string(n) +
                            "x" + std::to_string(k) + (adds ? " adds" : "");
    arrays_of(label,
              plans_.number("product " + key,
                            [&] {
                              return gen::gemm_plan(call, {m, n, k}, plans_.caps());
                            }),
              {a, whole(weight), c});
  }

  // The pairs of a head are neighbours: the default of rope/rows.
  void rotation(const std::string& from, const std::string& to, std::uint32_t heads) {
    const std::uint64_t width = std::uint64_t{heads} * sizes_.head;
    const std::uint32_t pairs = sizes_.head / 2, count = options_.count;
    gen::KernelRequest request;
    request.shape = {{count, heads, sizes_.head}};
    shipped(
        "rotation", "rope/rows", request, {{"pairs", pairs}, {"heads", heads}, {"tokens", count}},
        {rows(from, width), rows("positions", 1), rows("frequencies", pairs, 1), rows(to, width)});
  }

  void append(const Part& cache_k, const Part& cache_v) {
    add("append", "",
        {rows("k_rotated", sizes_.kv()), rows("v", sizes_.kv()), rows("positions", 1), cache_k,
         cache_v},
        [&] {
          return alone(
              llama::append(options_.cache),
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
        {rows("q_rotated", sizes_.q()), cache_k, cache_v, rows("length", 1, 1),
         rows("mixed", sizes_.q())},
        [&] {
          constexpr ScalarType f32 = ScalarType::f32;
          if (options_.count > 1) return gen::attention_plan(call, f32, plans_.caps());
          return gen::attention_plan(*gen::find_kernel("attention/decode"),
                                     gen::request_of(call, f32, plans_.caps()));
        });
  }

  std::vector<Step> take() { return std::move(steps_); }

 private:
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
  const auto rows = [&](std::uint64_t width) { return 4 * width * options.count; };
  std::map<std::string, std::uint64_t> out = {{"tokens", rows(1)},
                                              {"positions", rows(1)},
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
               list.rows("logits", sizes.vocabulary, 1));
  list.argmax();
  return list.take();
}

}  // namespace llama
