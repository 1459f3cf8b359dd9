// SPDX-License-Identifier: MIT
// The shipped table; see table.hpp. Rows are independent: to change a choice, edit its row.
//
//   measured    TFLOP/s on an NVIDIA H200, see tools/notes/matrix-units.md
//   offline     what Mesa's compiler reports, see tests/offline_gpus/statistics.tsv
//   limits      follows from what a device reports
//   estimated   from a row that was measured

#include "vkmoye/gen/kernels/products/choice/table.hpp"

namespace vkmoye::gen {
namespace {

using enum ScalarType;
using Types = std::vector<GemmTypes>;

Types operator+(Types a, const Types& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::vector<GemmTableRow> shipped_rows() {
  using enum GemmQuantity;
  const Types f16s = {{f16, f16, f32}, {f16, f16, f16}};
  const Types halves = f16s + Types{{bf16, bf16, f32}};
  const Types halves_in_f32 = {{f16, f16, f32}, {bf16, bf16, f32}};
  const Types bytes = {{i8, i8, i32}, {u8, u8, u32}};
  const Types units = halves + bytes;
  const Types words = {{f32, f32, f32}, {i32, i32, i32}};
  const Types wide = words + Types{{f64, f64, f64}};
  const Types without_doubles = f16s + words, without_units = f16s + wide;

  return {
      // --- NVIDIA H200: 132 multiprocessors, 48 KiB of shared memory, 4.2 TB/s ---
      {{"H200"},
       f16s,
       {.ranges = {m <= 16, n >= 2048}, .a = 'k', .b = 'k'},
       "gemm/thin_coopmat",
       {{"tile", "16x32"}},
       "measured: 3254 GB/s at 16x4096x4096, 1.31 of cuBLAS"},
      {{"H200"},
       f16s,
       {.ranges = {n <= 16, m >= 2048}, .a = 'k', .b = 'k'},
       "gemm/thin_coopmat",
       {{"tile", "32x16"}},
       "estimated: as for 16 rows; 3102 GB/s with 16x16"},
      {{"H200"},
       f16s,
       {.ranges = {least <= 16}, .a = 'k', .b = 'k'},
       "gemm/thin_coopmat",
       {},
       "measured: 7.3 us at 16x1024x4096, 1.77 of cuBLAS"},
      {{"H200"},
       bytes,
       {.ranges = {least <= 16}, .a = 'k', .b = 'k'},
       "gemm/thin_coopmat",
       {},
       "measured: 13.9 us at 16x4096x4096, 0.85 of cuBLAS"},
      {{"H200"},
       f16s,
       {{least <= 4}},
       "gemm/thin",
       {},
       "measured: 3418 GB/s at 1x4096x4096, 1.29 of cuBLAS"},
      {{"H200"},
       halves,
       {{m <= 16, k >= 2048}},
       "gemm/coopmat",
       {{"tile", "16x128x64"}, {"subgroups", "1x4"}, {"split-k", "8"}},
       "measured: 19.3 us at 16x4096x4096, gemm/thin 36.3"},
      {{"H200"},
       halves,
       {{n <= 16, k >= 2048}},
       "gemm/coopmat",
       {{"tile", "128x16x64"}, {"subgroups", "4x1"}, {"split-k", "8"}},
       "estimated: the same for 16 columns"},
      {{"H200"}, f16s, {{least <= 16}}, "gemm/thin", {}, "measured: 917 GB/s at 16x4096x4096"},
      {{"H200"},
       halves,
       {{elements <= 65536, k >= 4096}},
       "gemm/coopmat",
       {{"tile", "64x64x64"}, {"subgroups", "2x2"}, {"split-k", "32"}},
       "measured: 11.9 us at 128x128x14336, 1.17 of cuBLAS"},
      {{"H200"},
       halves,
       {{elements <= 262144, k >= 4096}},
       "gemm/coopmat",
       {{"tile", "128x128x64"}, {"subgroups", "2x2x2"}, {"split-k", "8"}},
       "measured: 44.4 us at 512x512x16384, 0.44 of cuBLAS; 40.7 with b n, baked; both packed "
       "36.2"},
      {{"H200"},
       halves,
       {{m >= 2048, n >= 2048, k >= 1024}},
       "gemm/packed",
       {},
       "measured: 361 at 8192x8192x8192 with both packed in the run, 264 (gemm/coopmat 199) at "
       "8192x4096x1024"},
      {{"H200"},
       halves_in_f32,
       {{area >= 1048577}},
       "gemm/coopmat",
       {{"tile", "128x256x32"}, {"subgroups", "2x4"}},
       "measured: 308 at 8192x8192x8192 where n of B is contiguous"},
      {{"H200"},
       {{f16, f16, f16}},
       {{area >= 4194304}},
       "gemm/coopmat",
       {{"tile", "256x256x32"}, {"subgroups", "2x4"}},
       "measured: 349 at 4096x4096x4096, 311 with 128x256x32"},
      {{"H200"},
       halves,
       {},
       "gemm/coopmat",
       {{"tile", "128x64x64"}, {"subgroups", "2x2"}},
       "estimated: 1024x1024 in 128 tiles, one for each multiprocessor"},
      {{"H200"},
       bytes,
       {},
       "gemm/coopmat",
       {{"tile", "128x256x64"}, {"subgroups", "2x4"}},
       "measured: 577 at 8192x8192x8192 baked; 320x128x64 4x2, strip 26: 599 there, but 519 not "
       "baked (this: 534)"},
      {{"H200"},
       wide,
       {{least <= 16}},
       "gemm/thin",
       {},
       "measured: f32 1x4096x4096 1.24, 16x4096x4096 1.12 of cuBLAS"},
      {{"H200"},
       words,
       {{elements <= 65536, k >= 4096}},
       "gemm/simt",
       {{"tile", "64x64x8"}, {"split-k", "32"}},
       "estimated: as for f16, slices fill the multiprocessors"},
      {{"H200"},
       words,
       {{elements <= 262144, k >= 4096}},
       "gemm/simt",
       {{"split-k", "16"}},
       "measured: 200 us at 512x512x16384, 0.97 of cuBLAS"},
      {{"H200"}, wide, {}, "gemm/simt", {}, "measured: f32 46.8, f64 22.0 at 4096x4096x4096"},

      // --- AMD RDNA3: NAVI3x, and GFX115x with half the registers; fragments hold copies: no packing ---
      {{"NAVI3"},
       f16s,
       {{least >= 17}},
       "gemm/coopmat",
       {{"tile", "128x256x32"}, {"subgroups", "2x4"}, {"subgroup-size", "64"}},
       "offline: 192 registers for 64 lanes, 256 for 32"},
      {{"NAVI3"},
       bytes,
       {{least >= 17}},
       "gemm/coopmat",
       {{"tile", "128x128x64"}, {"subgroups", "2x2"}, {"subgroup-size", "64"}},
       "offline: 128 x 128 of sums leave registers for tiles of 64 k, not of 128"},
      {{"GFX115", "STRIX"},
       f16s,
       {{least >= 17}},
       "gemm/coopmat",
       {{"tile", "128x256x32"}, {"subgroups", "2x4"}, {"subgroup-size", "32"}},
       "offline: 64 lanes spill 109 registers, 32 none"},
      {{"GFX115", "STRIX"},
       bytes,
       {{least >= 17}},
       "gemm/coopmat",
       {{"tile", "128x128x64"}, {"subgroups", "2x2"}, {"subgroup-size", "32"}},
       "offline: as for NAVI3"},

      // --- AMD RDNA4 ---
      {{"GFX120"},
       halves,
       {{least >= 17}},
       "gemm/coopmat",
       {{"tile", "128x256x32"}, {"subgroups", "2x4"}, {"subgroup-size", "64"}},
       "offline: 144 registers for 64 lanes, 256 for 32"},
      {{"GFX120"},
       bytes,
       {{least >= 17}},
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

      // --- any device ---
      {{},
       without_units,
       {{least <= 8}},
       "gemm/thin",
       {},
       "limits: few rows or columns, so the larger operand is read once"},
      {{},
       units,
       {{elements <= 65536, k >= 4096}},
       "gemm/coopmat",
       {{"split-k", "16"}},
       "limits: few tiles, deep: slices make more workgroups"},
      {{}, units, {}, "gemm/coopmat", {}, "limits: the largest matrices that the device reports"},
      {{},
       without_units,
       {{least <= 16}},
       "gemm/thin",
       {},
       "limits: as above, without matrix units"},
      {{},
       without_units,
       {{elements <= 65536, k >= 4096}},
       "gemm/simt",
       {{"split-k", "16"}},
       "limits: few tiles, deep: slices make more workgroups"},
      {{}, {}, {}, "gemm/simt", {}, "supports every size, order and type that shaders can add"},

  };
}

}  // namespace

const GemmTable& shipped_gemm_table() {
  static const GemmTable table{"the shipped table", shipped_rows()};
  return table;
}

}  // namespace vkmoye::gen
