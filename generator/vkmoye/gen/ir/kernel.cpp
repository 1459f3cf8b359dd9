#include "vkmoye/gen/ir/kernel.hpp"

#include <set>

#include "vkmoye/gen/ir/effects.hpp"

namespace vkmoye::gen::ir {
Expr expression(const Extent& extent) {
  if (!extent.is_symbol()) return static_cast<std::uint32_t>(extent.value);
  const Expr first = variable(extent.symbol);
  return extent.times.empty() ? first : first * variable(extent.times);
}

std::optional<Extent> extent_from(const Expr& e) {
  const auto is_name = [](const Expr& x) { return x->op == Op::variable; };
  if (is_constant(e)) return Extent(e->value);
  if (is_name(e)) return Extent(e->name);
  const bool is_product =
      e->op == Op::multiply && is_name(e->operands[0]) && is_name(e->operands[1]);
  if (is_product) return Extent(e->operands[0]->name, e->operands[1]->name);
  return std::nullopt;
}

std::int64_t Array::size() const {
  std::int64_t size = 1;
  for (const Axis& axis : axes) size *= axis.extent.value;
  return size;
}

const Array* Kernel::find(const std::string& wanted) const {
  for (const Array& array : arrays) {
    if (array.name == wanted) return &array;
  }
  return nullptr;
}

std::vector<std::uint32_t> Kernel::widths_of(const std::string& array) const {
  std::set<std::uint32_t> widths;
  for_each(body, [&](const Stmt& statement) {
    for (const Touch& touch : effects_of(statement, *this).touches) {
      if (touch.element->array == array) widths.insert(touch.element->width);
    }
  });
  return {widths.begin(), widths.end()};
}

std::uint64_t Kernel::shared_bytes() const {
  std::uint64_t bytes = 0;
  for (const Array& array : arrays) {
    if (array.space == Array::Space::shared) {
      bytes += static_cast<std::uint64_t>(array.size()) * size_of(array.type);
    }
  }
  return bytes;
}

}  // namespace vkmoye::gen::ir
