// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/choice/candidates.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "vkmoye/base/text.hpp"

namespace vkmoye::gen {
namespace {

using enum ScalarType;

// Rows whose options have several values, separated by '/'.
std::vector<GemmTableEntry> candidate_rows() {
  using enum GemmQuantity;
  using Types = std::vector<GemmTypes>;
  const Types halves = {{f16, f16, f32}, {f16, f16, f16}, {bf16, bf16, f32}};
  const Types bytes = {{i8, i8, i32}, {u8, u8, u32}};
  const Types without_bf16 = {{f16, f16, f32}, {f16, f16, f16}, {i8, i8, i32}, {u8, u8, u32}};
  const Types units = {
      {f16, f16, f32}, {f16, f16, f16}, {bf16, bf16, f32}, {i8, i8, i32}, {u8, u8, u32}};
  const Types without_units = {
      {f16, f16, f32}, {f16, f16, f16}, {f32, f32, f32}, {f64, f64, f64}, {i32, i32, i32}};
  const GemmWhere large = {{least >= 17, lanes >= 32}};
  const GemmWhere deep = {{least >= 17, lanes >= 32, elements <= 1048576, k >= 2048}};

  return {

      // --- matrix units, tiles through shared memory ---
      {{},
       halves,
       large,
       "gemm/coopmat",
       {{"tile",
         "128x256x32/128x128x64/256x128x32/128x128x32/256x256x32/64x128x64/128x64x64/64x64x64"},
        {"subgroups", "2x4/2x2/4x2/4x4"},
        {"strip", "8/1/16"},
        {"unroll", "yes/no"}}},
      {{},
       halves,
       deep,
       "gemm/coopmat",
       {{"tile", "128x128x64/64x64x64/128x64x64/64x128x64"},
        {"subgroups", "2x2/2x4"},
        {"split-k", "8/16/4/32/64/2"}}},
      {{},
       halves,
       deep,
       "gemm/coopmat",
       {{"tile", "128x128x64/64x64x64/128x128x32/128x64x64"},
        {"subgroups", "2x2x2/1x1x4/2x1x4/2x1x2"},
        {"split-k", "8/4/16/32/2"}}},
      {{},
       halves,
       {{m <= 32, lanes >= 32}},
       "gemm/coopmat",
       {{"tile", "16x128x64/16x64x128/16x256x64/32x128x64"},
        {"subgroups", "1x4/1x2"},
        {"split-k", "8/4/16/1/32"}}},
      {{},
       halves,
       {{n <= 32, lanes >= 32}},
       "gemm/coopmat",
       {{"tile", "128x16x64/64x16x128/256x16x64/128x32x64"},
        {"subgroups", "4x1/2x1"},
        {"split-k", "8/4/16/1/32"}}},
      {{},
       bytes,
       {{lanes >= 32}},
       "gemm/coopmat",
       {{"tile", "128x128x128/128x256x64/128x128x64/64x128x128/64x64x128"},
        {"subgroups", "2x2/2x4/4x2"},
        {"strip", "8/1/16"},
        {"unroll", "yes/no"}}},
      {{},
       bytes,
       {{lanes >= 32, elements <= 1048576, k >= 2048}},
       "gemm/coopmat",
       {{"tile", "128x128x128/64x64x128"}, {"subgroups", "2x2"}, {"split-k", "8/16/4/32"}}},
      {{},
       without_bf16,
       {{lanes <= 16}},
       "gemm/coopmat",
       {{"tile", "32x32x32/16x16x32/64x64x32/32x32x64"},
        {"subgroups", "2x2/1x1/2x1"},
        {"split-k", "1/4"}}},

      // --- matrix units, operands packed first ---
      {{},
       halves,
       large,
       "gemm/packed",
       {{"part", "64x64/64x32/128x64/32x64/64x128"},
        {"subgroups", "2x2/1x2/2x4"},
        {"strip", "8/4/16"}}},
      {{},
       halves,
       deep,
       "gemm/packed",
       {{"part", "64x64/32x32/64x32"},
        {"subgroups", "2x2x2/2x1x4/1x1x8/2x2/2x4"},
        {"split-k", "8/4/16/2/32"}}},
      {{},
       halves,
       {{lanes <= 16}},
       "gemm/packed",
       {{"part", "32x32/16x16"}, {"subgroups", "2x2/1x1"}}},

      // --- weights in blocks ---
      {{},
       {},
       {.ranges = {m <= 32}, .weights = true},
       "gemm/quantised",
       {{"along-k", "16/8/32/4"},
        {"weights", "2/1/4"},
        {"threads", "128/64/256"},
        {"split-k", "1/2/4"}}},
      {{},
       {},
       {.ranges = {m <= 64, lanes >= 32}, .weights = true},
       "gemm/quantised_coopmat",
       {{"tile", "16x64/16x16/16x32/32x64/32x32"}, {"subgroups", "2/4/8"}, {"split-k", "1/2/4"}}},
      {{},
       {},
       {.ranges = {m <= 32, lanes >= 32}, .weights = true},
       "gemm/coopmat",
       {{"tile", "16x64x128/32x64x128/16x128x64/32x128x64/16x64x256"},
        {"subgroups", "1x2/1x4"},
        {"blocks", "4/2/8"},
        {"split-k", "8/4/16/1/2"}}},
      {{},
       {},
       {.ranges = {m >= 17, lanes >= 32}, .weights = true},
       "gemm/coopmat",
       {{"tile", "64x128x64/128x128x64/64x64x128/128x64x128/128x256x64"},
        {"subgroups", "2x2/1x4/2x4"},
        {"blocks", "2/4"},
        {"split-k", "8/4/2/1/16"}}},

      // --- few rows or columns ---
      {{}, without_units, {{least <= 64}}, "gemm/thin", {}},
      {{},
       without_units,
       {{least <= 64}},
       "gemm/thin",
       {{"reads", "2x4/4x2/4x1/1x4/2x2/8x1"},
        {"threads", "128/256/64/512"},
        {"split-k", "1/4/2/8"}}},
      {{},
       without_units,
       {{lanes <= 16}},
       "gemm/thin",
       {{"reads", "1x4/2x4/4x2"}, {"threads", "128/64/256"}}},
      {{},
       units,
       {.ranges = {least <= 128, lanes >= 32}, .a = 'k', .b = 'k'},
       "gemm/thin_coopmat",
       {{"tile", "16x16/16x32/32x16/32x32/64x32/64x64"},
        {"subgroups", "16/8/4"},
        {"reads", "2/1/4"}}},

      // --- all others ---
      {{}, without_units, {}, "gemm/simt", {}},
      {{},
       without_units,
       {{least >= 9}},
       "gemm/simt",
       {{"tile", "128x128x8/64x64x8/128x64x8/64x128x8/128x128x16/64x64x16"},
        {"split-k", "1/8/16/32/4"}}},
      {{},
       without_units,
       {{least >= 9}},
       "gemm/simt",
       {{"threads", "16x16/16x8/8x8"},
        {"tile", "128x128x8/64x64x8/64x64x16/128x64x16"},
        {"values", "4x4/2x2"}}},
  };
}

// A config, and how many of its values are not the first one of their option.
struct Variant {
  Options options;
  int changes = 0;
};

std::vector<Variant> variants_of(const GemmTableEntry& row) {
  std::vector<Variant> variants(1);
  for (const auto& [name, text] : row.options) {
    std::vector<Variant> more;
    for (const Variant& variant : variants) {
      const auto values = split(text, '/');
      for (std::size_t i = 0; i < values.size(); ++i) {
        Variant next = variant;
        next.options[name] = values[i];
        next.changes += i == 0 ? 0 : 1;
        more.push_back(std::move(next));
      }
    }
    variants = std::move(more);
  }
  return variants;
}

}  // namespace

std::vector<GemmChoice> gemm_candidates(const GemmProduct& product, const DeviceCaps& device) {
  static const std::vector<GemmTableEntry> rows = candidate_rows();
  std::vector<std::pair<int, GemmChoice>> found;
  for (const GemmTableEntry& row : rows) {
    if (!is_for_types(row, product) || !unmet(row, product, device).empty()) continue;
    for (Variant& variant : variants_of(row)) {
      GemmTableEntry one = row;
      one.options = std::move(variant.options);
      found.emplace_back(variant.changes, choice_of(one, product));
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<GemmChoice> out;
  std::set<std::string> seen;
  for (auto& [changes, choice] : found) {
    if (seen.insert(choice.text()).second) out.push_back(std::move(choice));
  }
  return out;
}

}  // namespace vkmoye::gen
