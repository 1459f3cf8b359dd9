// SPDX-License-Identifier: MIT
#include "vkmoye/gen/ir/combining.hpp"

#include <cmath>
#include <limits>

namespace vkmoye::gen::ir {
namespace {

constexpr Combining kCombinings[] = {
    {Op::add, "sum", "Add", 0},
    {Op::minimum, "least", "Min", 1},
    {Op::maximum, "largest", "Max", -1},
};

}  // namespace

double Combining::neutral(ScalarType type) const {
  if (limit == 0) return 0;
  if (is_floating(type)) return limit * std::numeric_limits<double>::infinity();
  const int bits = 8 * static_cast<int>(size_of(type)) - (is_unsigned(type) ? 0 : 1);
  if (limit > 0) return std::ldexp(1, bits) - 1;
  return is_unsigned(type) ? 0 : -std::ldexp(1, bits);
}

const Combining* combining(Op op) {
  for (const Combining& row : kCombinings) {
    if (row.op == op) return &row;
  }
  return nullptr;
}

}  // namespace vkmoye::gen::ir
