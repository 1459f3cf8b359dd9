// SPDX-License-Identifier: MIT
// The shipped table; see gemm_table.hpp. Rows are independent: to change a choice, edit its row.
//
//   measured    TFLOP/s on an NVIDIA H200 if no other device is named, see tools/notes/matrix-units.md
//   offline     what Mesa's compiler reports, see tests/offline_gpus/statistics.tsv
//   limits      follows from what a device reports
//   estimated   from a row that was measured

#include "vkmoye/gen/kernels/products/choice/gemm_table.hpp"

namespace vkmoye::gen {
namespace {

using enum ScalarType;
using Types = std::vector<GemmTypes>;

Types operator+(Types a, const Types& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::vector<GemmTableEntry> shipped_rows() {
  using enum GemmQuantity;
  const std::vector<std::string> hopper = {"H200", "H100"};
  const Types f16s = {{f16, f16, f32}, {f16, f16, f16}};
  const Types halves = f16s + Types{{bf16, bf16, f32}};
  const Types bytes = {{i8, i8, i32}, {u8, u8, u32}};
  const Types words = {{f32, f32, f32}, {i32, i32, i32}};
  const Types without_doubles = f16s + words,
              without_units = without_doubles + Types{{f64, f64, f64}};

  return {
      // --- weights in blocks (.weights): NVIDIA H200 and H100, then any device ---
      {{},
       {},
       {.ranges = {m <= 5}, .weights = true, .long_blocks = true},
       "gemm/quantised",
       {},
       "measured on an H200, 2, 4, 16 rows x8192x4096: q4_K 21.3, 28.3, 119 us, q6_K 40.6, 50.0, "
       "236; with packed weights 49.5, 49.2, 51.2, and 69.7, 70.0, 72.1, packing included"},
      {{},
       {},
       {.ranges = {m <= 512, lanes >= 32}, .weights = true, .long_blocks = true},
       "gemm/packed_weights",
       {},
       "measured on an H200, q4_K, 16, 64, 256, 512 rows x8192x4096: 51.2, 62.5, 118, 189 us with "
       "packing; gemm/packed with decoding 267 for 64 rows, 306 for 256"},
      {{},
       {},
       {.ranges = {m >= 33}, .weights = true, .long_blocks = true},
       "gemm/packed",
       {},
       "limits: decodes each weight once, before the product"},
      {{},
       {},
       {.ranges = {}, .weights = true, .long_blocks = true},
       "gemm/quantised",
       {},
       "limits: works without matrix units"},
      {hopper,
       {},
       {.ranges = {m <= 1}, .weights = true},
       "gemm/quantised",
       {},
       "measured on an H100, 1x8192x8192: q4_0, q8_0, nf4, e4m3g128 23.9, 35.3, 25.2, 56.2 us; "
       "gemm/quantised_coopmat 22.7, 36.6, 30.0, 195"},
      {hopper,
       {},
       {.ranges = {m <= 32}, .weights = true},
       "gemm/quantised_coopmat",
       {},
       "measured on an H100, q4_0, 4, 8, 16, 32 rows x8192x8192: 24.5, 25.3, 27.4, 48.1 us; "
       "gemm/quantised 42.2, 58.0, 111, 216; 32 rows take 84 with packed weights, packing 60; "
       "e4m3g128, 4, 16, 32 rows: 73.0, 99.2, 194"},
      {hopper,
       {{f16, kWeightType, f32, {}, find_weight_format("nf4")}},
       {.ranges = {m <= 64}, .weights = true},
       "gemm/quantised_coopmat",
       {},
       "estimated: 16x8192x8192 takes 40.7 us on an H100; gemm/coopmat 230 on an H200"},
      {hopper,
       {{f16, kWeightType, f32, {}, find_weight_format("nf4")}},
       {.ranges = {m >= 65, k >= 1024}, .weights = true},
       "gemm/packed",
       {},
       "estimated: 64 rows x8192x8192 take 119 us with packed weights, after packing, on an H100; "
       "256 rows by e4m3g128 386 by gemm/packed on an H200"},
      {hopper,
       {},
       {.ranges = {m <= 384, k >= 1024}, .weights = true},
       "gemm/packed_weights",
       {},
       "16, 64, 128 rows x8192x8192, q4_0, on an H200: 84, 111, 129 us, of which packing takes 60; "
       "gemm/coopmat 130, "
       "136, 172"},
      {hopper,
       {},
       {.ranges = {m >= 385, k >= 1024}, .weights = true},
       "gemm/packed",
       {},
       "512, 4096 rows x8192x8192, q4_0, on an H200: 346, 1707 us with decoding; gemm/coopmat 575, "
       "4273"},
      {{},
       {},
       {.ranges = {m <= 8}, .weights = true},
       "gemm/quantised",
       {},
       "limits: reads and decodes each weight once"},
      {{},
       {},
       {.ranges = {m >= 9}, .weights = true},
       "gemm/coopmat",
       {},
       "limits: decodes each weight once for each tile of m"},
      {{},
       {},
       {.ranges = {}, .weights = true},
       "gemm/quantised",
       {},
       "limits: needs no matrix units"},

      // --- NVIDIA H200 and H100 ---
      {hopper,
       halves,
       {.ranges = {m >= 1024}, .experts = true},
       "gemm/coopmat",
       {{"tile", "128x128x64"}, {"subgroups", "2x4"}},
       "measured on an H100: 574 us at 4096x4096x4096 with 8 experts; 648 in tiles of 128x256x32"},
      {{"H100"},
       halves,
       {.ranges = {m <= 16, n >= 2048}, .a = 'k', .b = 'k'},
       "gemm/thin_coopmat",
       {{"tile", "16x32"}, {"subgroups", "8"}, {"reads", "4"}},
       "measured on an H100: 51.7 us at 16x8192x8192, 98.6 with 16 subgroups and reads 2"},
      {hopper,
       halves,
       {.ranges = {m >= 17, m <= 32, n >= 4096}, .a = 'k', .b = 'k'},
       "gemm/thin_coopmat",
       {{"tile", "32x32"}, {"subgroups", "4"}, {"reads", "4"}},
       "measured on an H200: 39.2 us at 32x8192x8192; tiles of 64x64, as expected times choose, "
       "84.5"},
      {hopper,
       halves,
       {.ranges = {m >= 33, m <= 64, n >= 4096}, .a = 'k', .b = 'k'},
       "gemm/thin_coopmat",
       {{"tile", "64x32"}, {"subgroups", "4"}, {"reads", "2"}},
       "measured on an H200: 51.6 us at 64x8192x8192; tiles of 64x64, as expected times choose, "
       "84.2"},

      {hopper,
       halves,
       {{m >= 97, m <= 128, n >= 4096, k >= 4096}},
       "gemm/coopmat",
       {{"tile", "128x128x64"}, {"subgroups", "2x2x2"}, {"split-k", "2"}},
       "measured on an H200: 77.5 us at 128x8192x8192; in tiles of 128x256x32, as expected times "
       "choose, 103"},
      {hopper,
       halves,
       {{m >= 129, m <= 512, n >= 8192, k >= 4096}},
       "gemm/coopmat",
       {{"tile", "128x128x64"}, {"subgroups", "2x2x2"}},
       "measured on an H200: 126, 238 us at 256, 512 rows x8192x8192; in tiles of 128x256x32, as "
       "expected times "
       "choose, 154, 256"},

      // --- AMD RDNA3: NAVI3x, and GFX115x with half the registers; fragments hold copies: no packing ---
      {{"NAVI3"},
       f16s,
       {{area >= 524288}},
       "gemm/coopmat",
       {{"tile", "128x256x32"}, {"subgroups", "2x4"}, {"subgroup-size", "64"}},
       "offline: 192 registers for 64 lanes, 256 for 32"},
      {{"NAVI3"},
       bytes,
       {{area >= 524288}},
       "gemm/coopmat",
       {{"tile", "128x128x64"}, {"subgroups", "2x2"}, {"subgroup-size", "64"}},
       "offline: 128 x 128 of sums leave registers for tiles of 64 k, not of 128"},
      {{"GFX115", "STRIX"},
       f16s,
       {{area >= 524288}},
       "gemm/coopmat",
       {{"tile", "128x256x32"}, {"subgroups", "2x4"}, {"subgroup-size", "32"}},
       "offline: 64 lanes spill 109 registers, 32 none"},
      {{"GFX115", "STRIX"},
       bytes,
       {{area >= 524288}},
       "gemm/coopmat",
       {{"tile", "128x128x64"}, {"subgroups", "2x2"}, {"subgroup-size", "32"}},
       "offline: as for NAVI3"},

      // --- AMD RDNA4 ---
      {{"GFX120"},
       halves,
       {{area >= 524288}},
       "gemm/coopmat",
       {{"tile", "128x256x32"}, {"subgroups", "2x4"}, {"subgroup-size", "64"}},
       "offline: 144 registers for 64 lanes, 256 for 32"},
      {{"GFX120"},
       bytes,
       {{area >= 524288}},
       "gemm/coopmat",
       {{"tile", "128x128x64"}, {"subgroups", "2x2"}, {"subgroup-size", "64"}},
       "offline: as for NAVI3"},

      // --- lavapipe, the CPU: its compiler's code for vectors is faster than matrices ---
      {{"llvmpipe"},
       without_units,
       {.a = 'k', .b = 'k'},
       "gemm/thin",
       {},
       "measured: 512x512x512 in 0.32 (f16,f32) to 0.67 (f32) of the time of gemm/coopmat, "
       "gemm/simt"},
      {{"llvmpipe"},
       without_units,
       {{least <= 16}},
       "gemm/thin",
       {},
       "measured: f32 16x512x256, a=m in 0.27, b=n in 0.54 of the time of gemm/simt"},
      {{"llvmpipe"},
       without_doubles,
       {{least <= 64}},
       "gemm/simt",
       {{"tile", "64x64x16"}},
       "measured: f32 64x64x64, b=n in 0.36 of the time of tiles of 128x128, which are three "
       "quarters empty"},
      {{"llvmpipe"},
       without_doubles,
       {{area <= 16384}},
       "gemm/simt",
       {{"tile", "64x64x16"}},
       "measured: f32 128x128x128, b=n in 0.70 of the time of one tile of 128x128, which is one "
       "core's"},
      {{"llvmpipe"},
       {{f64, f64, f64}},
       {{m <= 64}},
       "gemm/simt",
       {{"tile", "64x64x8"}},
       "measured: 64x512x256, b=n in 0.59 of the time of tiles of 128x128; 16 of k are beyond 32 "
       "KiB"},
      {{"llvmpipe"},
       without_units,
       {},
       "gemm/simt",
       {},
       "measured: f32 512x512x512, a=m b=n in 0.53 of the time of gemm/thin"},
  };
}

}  // namespace

const GemmTable& shipped_gemm_table() {
  static const GemmTable table{"the shipped table", shipped_rows()};
  return table;
}

}  // namespace vkmoye::gen
