// SPDX-License-Identifier: MIT
// The configs that expected_time compares: few, because each stands for a size of C or of k that others do not suit.
#include <algorithm>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/kernels/products/choice/expected_time.hpp"

namespace vkmoye::gen {
namespace {

struct Candidate {
  const char* kernel;
  Options options;
  std::vector<std::int64_t> slices = {1};
};

// Elements of two bytes and of one.
std::vector<Candidate> on_matrix_units(bool are_bytes) {
  const std::vector<std::int64_t> slices = {1, 2, 4, 8, 16, 32};
  std::vector<Candidate> out;
  using Tile = std::pair<const char*, const char*>;
  const std::vector<Tile> of_halves = {
      {"128x256x32", "2x4"}, {"128x128x64", "2x2x2"}, {"128x128x64", "2x4"}, {"128x64x64", "2x2"},
      {"64x128x64", "2x2"},  {"64x64x64", "2x2"},     {"32x128x64", "1x4"},  {"128x32x64", "4x1"},
      {"16x256x64", "1x4"},  {"16x128x64", "1x4"},    {"128x16x64", "4x1"}};
  const std::vector<Tile> of_bytes = {
      {"128x256x64", "2x4"}, {"128x128x128", "2x2"}, {"64x128x128", "2x2"}, {"128x64x128", "2x2"},
      {"64x64x128", "2x2"},  {"32x128x128", "1x4"},  {"128x32x128", "4x1"}};
  for (const auto& [tile, subgroups] : are_bytes ? of_bytes : of_halves) {
    out.push_back({"gemm/coopmat", {{"tile", tile}, {"subgroups", subgroups}}, slices});
  }
  out.push_back({"gemm/packed", {}, {1, 2, 4, 8}});
  out.push_back({"gemm/thin_coopmat", {}});
  for (const char* tile : {"16x32", "32x16"})
    out.push_back({"gemm/thin_coopmat", {{"tile", tile}}});
  const auto add_thin = [&](const char* tile, const char* reads) {
    out.push_back({"gemm/thin_coopmat", {{"tile", tile}, {"subgroups", "4"}, {"reads", reads}}});
  };
  add_thin("32x32", "4"), add_thin("64x32", "2"), add_thin("32x64", "2"), add_thin("64x64", "1");
  return out;
}

std::vector<Candidate> without_matrix_units() {
  const std::vector<std::int64_t> slices = {1, 4, 8, 16, 32};
  std::vector<Candidate> out = {{"gemm/thin", {}, {1, 4, 8}}, {"gemm/simt", {}, slices}};
  for (const char* tile : {"64x64x8", "64x64x16", "64x128x8", "128x64x8"}) {
    out.push_back({"gemm/simt", {{"tile", tile}}, slices});
  }
  out.push_back(
      {"gemm/simt", {{"tile", "32x32x16"}, {"threads", "8x8"}, {"values", "4x4"}}, slices});
  return out;
}

}  // namespace

std::vector<ModelledChoice> modelled_choices(const GemmProduct& product, const DeviceCaps& device) {
  std::vector<ModelledChoice> out;
  const auto add = [&](const std::vector<Candidate>& candidates) {
    for (const Candidate& candidate : candidates) {
      for (const std::int64_t slices : candidate.slices) {
        if (product.split_k && slices > 1) continue;  // it is a slice itself
        GemmChoice choice =
            choice_of({.kernel = candidate.kernel, .options = candidate.options}, product);
        choice.slices = slices;
        if (auto time = expected_time(choice, product, device)) {
          out.push_back({std::move(choice), *std::move(time)});
        }
      }
    }
  };
  const ScalarType type = multiplied_type(product);
  const bool are_bytes = size_of(type) == 1;
  if (size_of(type) <= 2) add(on_matrix_units(are_bytes));
  if (!are_bytes) add(without_matrix_units());
  std::stable_sort(out.begin(), out.end(), [](const ModelledChoice& a, const ModelledChoice& b) {
    return a.time.microseconds < b.time.microseconds;
  });
  return out;
}

}  // namespace vkmoye::gen
