// SPDX-License-Identifier: MIT
#include "vkmoye/contract/scalar_type.hpp"

#include <iterator>

namespace vkmoye {
namespace {

constexpr ScalarTypeInfo kTypes[] = {
    {ScalarType::f16, "f16", 2, "<f2"},   {ScalarType::bf16, "bf16", 2, "<V2"},
    {ScalarType::f32, "f32", 4, "<f4"},   {ScalarType::f64, "f64", 8, "<f8"},
    {ScalarType::i8, "i8", 1, "|i1"},     {ScalarType::u8, "u8", 1, "|u1"},
    {ScalarType::i16, "i16", 2, "<i2"},   {ScalarType::u16, "u16", 2, "<u2"},
    {ScalarType::i32, "i32", 4, "<i4"},   {ScalarType::u32, "u32", 4, "<u4"},
    {ScalarType::i64, "i64", 8, "<i8"},   {ScalarType::u64, "u64", 8, "<u8"},
    {ScalarType::c64, "c64", 8, "<c8"},   {ScalarType::c128, "c128", 16, "<c16"},
    {ScalarType::e4m3, "e4m3", 1, "<V1"}, {ScalarType::e5m2, "e5m2", 1, "<V1"},
};

constexpr bool rows_stand_in_enum_order() {
  for (std::size_t i = 0; i < std::size(kTypes); ++i) {
    if (static_cast<std::size_t>(kTypes[i].type) != i) return false;
  }
  return true;
}
static_assert(std::size(kTypes) == kScalarTypeCount && rows_stand_in_enum_order());

}  // namespace

std::span<const ScalarTypeInfo> scalar_types() { return kTypes; }

const ScalarTypeInfo& info(ScalarType type) { return kTypes[static_cast<std::size_t>(type)]; }

std::optional<ScalarType> parse_scalar_type(std::string_view name) {
  const auto is_signed_as = [&](std::string_view row) {
    return name.starts_with('s') && row.starts_with('i') && name.substr(1) == row.substr(1);
  };
  for (const auto& row : kTypes) {
    if (row.name == name || is_signed_as(row.name)) return row.type;
  }
  return std::nullopt;
}

}  // namespace vkmoye
