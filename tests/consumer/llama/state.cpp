// SPDX-License-Identifier: MIT
#include "state.hpp"

namespace llama {

using vkmoye::ScalarType;

// Rows of these numbers of elements, one after the other in an array.
std::vector<Part> rows_of(const std::string& array, std::vector<std::uint64_t> widths,
                          const StepOptions& options) {
  for (std::uint64_t& width : widths) width *= size_of(*type_of(array, options)) * options.count;
  return parts_of(array, widths);
}

// Activations, but f32 for the residual, for logits, and for sums that are scaled later.
std::optional<ScalarType> type_of(const std::string& array, const StepOptions& options) {
  const auto begins = [&](const char* name) { return array.rfind(name, 0) == 0; };
  if (begins("token") || begins("positions") || begins("length") || begins("next")) {
    return std::nullopt;
  }
  if (begins("cache")) return options.cache;
  const bool is_f32 = array == "x" || begins("last") || begins("logit") || begins("sums") ||
                      begins("scale") || begins("frequencies");
  return is_f32 ? ScalarType::f32 : options.activations;
}

std::map<std::string, std::uint64_t> state_of(const Sizes& sizes, const StepOptions& options) {
  const std::uint64_t words = std::uint64_t{4} * options.count;
  std::map<std::string, std::uint64_t> out = {{"tokens", words},
                                              {"positions", words},
                                              {"length", 4},
                                              {"next", 4},
                                              {"logit", 4},
                                              {"frequencies", std::uint64_t{4} * (sizes.head / 2)},
                                              {"logits", std::uint64_t{4} * sizes.vocabulary}};
  const auto rows = [&](const std::string& array, const std::vector<std::uint64_t>& widths) {
    out[array] = rows_of(array, widths, options).back().end();
  };
  rows("x", {sizes.width});
  rows("h", {sizes.width});
  out["last"] = std::uint64_t{4} * sizes.width;
  out["scale of attention"] = out["scale of mlp"] = 4;
  rows("q k v", {sizes.q(), sizes.kv(), sizes.kv()});
  rows("rotated", {sizes.q()});
  rows("mixed", {sizes.q()});
  rows("gate", {sizes.hidden});
  rows("gated", {sizes.hidden});
  // Of a token, whatever `count` is.
  const auto sums = [&](const std::string& array, const std::vector<std::uint64_t>& widths) {
    out[array] = rows_of(array, widths, {}).back().end();
  };
  sums("sums of q k v", {sizes.q(), sizes.kv(), sizes.kv()});
  sums("sums of gate up", {sizes.hidden, sizes.hidden});
  for (std::uint32_t i = 0; i < sizes.layers; ++i) {
    const std::uint64_t bytes = std::uint64_t{options.places} * sizes.kv() * size_of(options.cache);
    out["cache_k." + std::to_string(i)] = bytes;
    out["cache_v." + std::to_string(i)] = bytes;
  }
  return out;
}

}  // namespace llama
