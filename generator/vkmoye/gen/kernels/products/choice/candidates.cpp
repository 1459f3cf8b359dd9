// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/choice/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "vkmoye/base/text.hpp"

namespace vkmoye::gen {
namespace {

// As in a row of a table: see products/choice/table.hpp.
constexpr const char *kHalves = "f16,f32 f16,f16 bf16,f32", *kBytes = "i8,i32 u8,u32",
                     *kWithoutUnits = "f16,f32 f16,f16 f32,f32 f64,f64 i32,i32";
constexpr const char *kLarge = "least>=17 lanes>=32",
                     *kDeep = "least>=17 lanes>=32 elements<=1048576 k>=2048";

// Configs for products of `types` where conditions hold.
struct Candidates {
  const char *types, *where, *kernel;
};

constexpr Candidates kCandidates[] = {
    // --- matrix units, tiles through shared memory ---
    {kHalves, kLarge,
     "gemm/coopmat"
     " --tile 128x256x32/128x128x64/256x128x32/128x128x32/256x256x32/64x128x64/128x64x64/64x64x64"
     " --subgroups 2x4/2x2/4x2/4x4"
     " --strip 8/1/16"
     " --unroll yes/no"},
    {kHalves, kDeep,
     "gemm/coopmat"
     " --tile 128x128x64/64x64x64/128x64x64/64x128x64"
     " --subgroups 2x2/2x4"
     " --split-k 8/16/4/32/64/2"},
    {kHalves, kDeep,
     "gemm/coopmat"
     " --tile 128x128x64/64x64x64/128x128x32/128x64x64"
     " --subgroups 2x2x2/1x1x4/2x1x4/2x1x2"
     " --split-k 8/4/16/32/2"},
    {kHalves, "m<=32 lanes>=32",
     "gemm/coopmat"
     " --tile 16x128x64/16x64x128/16x256x64/32x128x64"
     " --subgroups 1x4/1x2"
     " --split-k 8/4/16/1/32"},
    {kHalves, "n<=32 lanes>=32",
     "gemm/coopmat"
     " --tile 128x16x64/64x16x128/256x16x64/128x32x64"
     " --subgroups 4x1/2x1"
     " --split-k 8/4/16/1/32"},
    {kBytes, "lanes>=32",
     "gemm/coopmat"
     " --tile 128x128x128/128x256x64/128x128x64/64x128x128/64x64x128"
     " --subgroups 2x2/2x4/4x2"
     " --strip 8/1/16"
     " --unroll yes/no"},
    {kBytes, "lanes>=32 elements<=1048576 k>=2048",
     "gemm/coopmat"
     " --tile 128x128x128/64x64x128"
     " --subgroups 2x2"
     " --split-k 8/16/4/32"},
    {"f16,f32 f16,f16 i8,i32 u8,u32", "lanes<=16",
     "gemm/coopmat"
     " --tile 32x32x32/16x16x32/64x64x32/32x32x64"
     " --subgroups 2x2/1x1/2x1"
     " --split-k 1/4"},

    // --- matrix units, operands packed first ---
    {kHalves, kLarge,
     "gemm/packed"
     " --part 64x64/64x32/128x64/32x64/64x128"
     " --subgroups 2x2/1x2/2x4"
     " --strip 8/4/16"},
    {kHalves, kDeep,
     "gemm/packed"
     " --part 64x64/32x32/64x32"
     " --subgroups 2x2x2/2x1x4/1x1x8/2x2/2x4"
     " --split-k 8/4/16/2/32"},
    {kHalves, "lanes<=16", "gemm/packed --part 32x32/16x16 --subgroups 2x2/1x1"},

    // --- few rows or columns ---
    {kWithoutUnits, "least<=64", "gemm/thin"},
    {kWithoutUnits, "least<=64",
     "gemm/thin"
     " --reads 2x4/4x2/4x1/1x4/2x2/8x1"
     " --threads 128/256/64/512"
     " --split-k 1/4/2/8"},
    {kWithoutUnits, "lanes<=16", "gemm/thin --reads 1x4/2x4/4x2 --threads 128/64/256"},
    {"f16,f32 f16,f16 i8,i32 u8,u32", "least<=64 lanes>=32 a=k b=k",
     "gemm/thin_coopmat"
     " --tile 16x16/16x32/32x16"
     " --subgroups 16/8"
     " --reads 2/1/4"},

    // --- neither ---
    {kWithoutUnits, "-", "gemm/simt"},
    {kWithoutUnits, "least>=9",
     "gemm/simt"
     " --tile 128x128x8/64x64x8/128x64x8/64x128x8/128x128x16/64x64x16"
     " --split-k 1/8/16/32/4"},
    {kWithoutUnits, "least>=9",
     "gemm/simt"
     " --threads 16x16/16x8/8x8"
     " --tile 128x128x8/64x64x8/64x64x16/128x64x16"
     " --values 4x4/2x2"},
};

// Their rows, in order.
GemmTable candidates_table() {
  std::string text;
  for (const auto& [types, where, kernel] : kCandidates) {
    text += fmt::format("* | {} | {} | {} |\n", types, where, kernel);
  }
  return parse_gemm_table(text, "candidates");
}

// A config, and how many of its values are not the first of theirs.
struct Variant {
  Options options;
  int changes = 0;
};

std::vector<Variant> variants_of(const GemmRow& row) {
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

std::vector<GemmChoice> gemm_candidates(const GemmQuestion& question, const DeviceCaps& device) {
  static const GemmTable table = candidates_table();
  std::vector<std::pair<int, GemmChoice>> found;
  for (const GemmRow& row : table.rows) {
    if (!is_for_types(row, question.form) || !unmet(row, question, device).empty()) continue;
    for (Variant& variant : variants_of(row)) {
      GemmRow one = row;
      one.options = std::move(variant.options);
      found.emplace_back(variant.changes, choice_of(table, one, question.form));
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
