// SPDX-License-Identifier: MIT
// The general table; see gemm_table.hpp. Its rows follow from limits, not from measurements.

#include "vkmoye/gen/kernels/products/choice/gemm_table.hpp"

namespace vkmoye::gen {
namespace {

using enum ScalarType;

std::vector<GemmTableEntry> general_rows() {
  using enum GemmQuantity;
  const std::vector<GemmTypes> units = {
      {f16, f16, f32}, {f16, f16, f16}, {bf16, bf16, f32}, {i8, i8, i32}, {u8, u8, u32}};
  const std::vector<GemmTypes> without_units = {
      {f16, f16, f32}, {f16, f16, f16}, {f32, f32, f32}, {i32, i32, i32}, {f64, f64, f64}};
  return {
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

const GemmTable& general_gemm_table() {
  static const GemmTable table{"the general table", general_rows()};
  return table;
}

}  // namespace vkmoye::gen
