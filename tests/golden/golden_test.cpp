// SPDX-License-Identifier: MIT
// The committed texts of shaders/generated are what the generator prints today.
//
// To accept a change: VKMOYE_UPDATE_GOLDEN=1 ctest -L golden, then read the diff.

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <sstream>
#include <vector>

#include "support/process.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/kernels/gemm_combine.hpp"
#include "vkmoye/gen/kernels/registry.hpp"

namespace vkmoye::gen {
namespace {

struct Golden {
  const char* file;
  const char* kernel;  // of the registry, or gemm/combine
  ScalarType type;
  Options options;
  const char* reason;                      // why this config is worth keeping before one's eyes
  std::vector<std::string> epilogue = {};  // of a product
  std::optional<std::vector<std::int64_t>> shape = {};
};

const Golden kGoldens[] = {
    {"gemm_moye_simple_f32.comp",
     "gemm/moye_simple",
     ScalarType::f32,
     {},
     "projections, registers"},
    {"gemm_moye_simple_f32_bias_relu.comp",
     "gemm/moye_simple",
     ScalarType::f32,
     {},
     "an epilogue, and what it reads",
     {"bias", "relu"}},
    {"gemm_simt_f32.comp", "gemm/simt", ScalarType::f32, {}, "the whole of a fast product"},
    {"gemm_thin_f16.comp",
     "gemm/thin",
     ScalarType::f16,
     {{"rows", "2"}, {"reads", "1x2"}},
     "one operand read once, in vectors and one by one, sums of lanes"},
    {"gemm_packed_f16.comp",
     "gemm/packed",
     ScalarType::f16,
     {{"part", "32x32"}},
     "matrices that lanes fill with what they read, one step ahead"},
    {"gemm_combine_f16_bias_relu.comp",
     "gemm/combine",
     ScalarType::f16,
     {},
     "the second pass of a product in slices of k, and its epilogue",
     {"bias", "relu"}},
    {"gemm_thin_coopmat_f16.comp",
     "gemm/thin_coopmat",
     ScalarType::f16,
     {{"reads", "1"},
      {"order-a", "((8,2),(2,4,2)):((32,4),(1,8,2))"},
      {"order-b", "((8,2),(2,4,2)):((32,4),(1,8,2))"}},
     "a vector of a plain array becomes elements of two matrices, k permuted alike in both"},
    {"transpose_auto_f16_pointer.comp",
     "transpose/auto",
     ScalarType::f16,
     {{"address", "pointer"}},
     "arrays reached by their addresses, offsets of 64 bits"},
    {"copy_simple_f32.comp", "copy/simple", ScalarType::f32, {}, "the first kernel, no barrier"},
    {"copy_padded_f32.comp", "copy/padded", ScalarType::f32, {}, "one line changes: (1,33)"},
    {"transpose_simple_f32.comp", "transpose/simple", ScalarType::f32, {}, "barrier, swapped tile"},
    {"transpose_padded_f32.comp", "transpose/padded", ScalarType::f32, {}, "the tutorial's result"},
    {"transpose_padded_f16.comp", "transpose/padded", ScalarType::f16, {}, "two extensions"},
    {"transpose_padded_f64.comp",
     "transpose/padded",
     ScalarType::f64,
     {},
     "a type without extension"},
    {"transpose_padded_i8.comp", "transpose/padded", ScalarType::i8, {}, "8-bit storage"},
    {"transpose_padded_f32_tile48x80.comp",
     "transpose/padded",
     ScalarType::f32,
     {{"tile", "48x80"}, {"threads", "16x8"}},
     "two loops, extents that are no powers of two"},
    {"transpose_write_contiguous_f32.comp",
     "transpose/write_contiguous",
     ScalarType::f32,
     {},
     "no shared memory at all"},
    {"transpose_vec4_shared_f32.comp",
     "transpose/vec4_shared",
     ScalarType::f32,
     {},
     "vectors through shared memory, both scalar paths"},
    {"transpose_vec4_padded_f64.comp",
     "transpose/vec4_padded",
     ScalarType::f64,
     {},
     "vectors of two, a layout that forbids them in shared memory"},
    {"copy_tiled_split_f32.comp",
     "copy/tiled_split",
     ScalarType::f32,
     {},
     "two vectors a thread: the layout that is not coalesced"},
    {"copy_auto_f16.comp", "copy/auto", ScalarType::f16, {}, "flat arrays, packed vectors"},
    {"transpose_auto_f32.comp",
     "transpose/auto",
     ScalarType::f32,
     {},
     "blocks turned in registers, columns of ragged tiles in rings"},
    {"transpose_auto_f16.comp",
     "transpose/auto",
     ScalarType::f16,
     {},
     "elements change places in registers"},
    {"transpose_auto_f32_shuffle.comp",
     "transpose/auto",
     ScalarType::f32,
     {{"exchange", "shuffle"}},
     "between lanes instead of through shared memory"},
    {"reduce_sum_f16_columns.comp",
     "reduce/sum",
     ScalarType::f16,
     {{"axis", "0"}, {"threads", "64"}, {"rounds", "2"}},
     "values to registers, lanes by shuffles, subgroups through shared memory"},
    {"softmax_rows_f32.comp",
     "softmax/rows",
     ScalarType::f32,
     {{"threads", "64"}, {"rounds", "1"}},
     "rows that stay in registers, loops that must not be unrolled"},
    {"relayout_f32_reversed.comp",
     "relayout",
     ScalarType::f32,
     {{"permute", "2,1,0"}},
     "axes that change places: blocks turned in registers, a swizzled tile"},
    {"relayout_u8_pixels.comp",
     "relayout",
     ScalarType::u8,
     {{"permute", "2,0,1"}},
     "pixels of 3 bytes to planes: flat on one side, 16 bytes of each plane on the other",
     {},
     {{128, 64, 3}}},
    {"relayout_f32_straight.comp",
     "relayout",
     ScalarType::f32,
     {{"permute", "1,0,2"}},
     "the innermost axis stays: straight across"},
    {"copy_simple_f32_tile24x40.comp",
     "copy/simple",
     ScalarType::f32,
     {{"tile", "24x40"}, {"threads", "(20,12):(12,1)"}},
     "threads that are no powers of two"},
};

void PrintTo(const Golden& golden, std::ostream* out) { *out << golden.file; }

// The lines in which two texts differ, with their numbers.
std::string difference(const std::string& before, const std::string& after) {
  std::istringstream old_lines(before), new_lines(after);
  std::ostringstream out;
  std::string a, b;
  for (int number = 1;; ++number) {
    const bool has_a = static_cast<bool>(std::getline(old_lines, a));
    const bool has_b = static_cast<bool>(std::getline(new_lines, b));
    if (!has_a && !has_b) return out.str();
    if (has_a && has_b && a == b) continue;
    if (has_a) out << number << " - " << a << '\n';
    if (has_b) out << number << " + " << b << '\n';
  }
}

ir::Kernel describe(const Golden& golden) {
  KernelRequest request = request_of(golden.type, golden.options);
  for (const std::string& name : golden.epilogue) {
    request.gemm.epilogue.push_back(*find_gemm_step(name));
  }
  if (golden.shape) request.shape = golden.shape;
  const KernelEntry* entry = find_kernel(golden.kernel);
  return entry != nullptr ? entry->describe(request)
                          : gemm_combine(request.gemm, 16, request.shape, request.device);
}

class GoldenTest : public testing::TestWithParam<Golden> {};

TEST_P(GoldenTest, IsWhatTheGeneratorPrints) {
  const Golden& golden = GetParam();
  const CompiledKernel kernel = compile(describe(golden));
  const std::string path = std::string(VKMOYE_SHADERS "/generated/") + golden.file;
  if (std::getenv("VKMOYE_UPDATE_GOLDEN") != nullptr) test::write_file(path, kernel.glsl);
  EXPECT_EQ(difference(test::read_file(path), kernel.glsl), "")
      << path << ", kept for: " << golden.reason;
}

INSTANTIATE_TEST_SUITE_P(Goldens, GoldenTest, testing::ValuesIn(kGoldens),
                         [](const auto& info) { return std::to_string(info.index); });

}  // namespace
}  // namespace vkmoye::gen
