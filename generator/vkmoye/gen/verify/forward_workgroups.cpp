// SPDX-License-Identifier: MIT
#include "vkmoye/gen/verify/forward_workgroups.hpp"

#include <utility>
#include <variant>

#include "vkmoye/gen/ir/ceil_div.hpp"
#include "vkmoye/gen/ir/traversal.hpp"

namespace vkmoye::gen {
namespace {

using ir::Expr;
using ir::Op;

constexpr ir::Builtin kGroups[] = {ir::Builtin::group_x, ir::Builtin::group_y,
                                   ir::Builtin::group_z};

// Whether `e` is the number of workgroups along the dimension, in every launch that has some.
bool counts(const Expr& e, const GridDimension& dimension) {
  if (dimension.max_groups != 0) return false;
  if (dimension.tile == 1) return ir::extent_from(e) == dimension.extent;
  const auto parts = ir::ceil_div_from(e);
  return parts && parts->size == dimension.tile &&
         ir::extent_from(parts->whole) == dimension.extent;
}

// Whether `e` is the block along the dimension: group_x + first_group_x, or group_x.
bool is_block(const Expr& e, std::size_t dimension) {
  const auto is_group = [&](const Expr& part) { return ir::grid_dimension_of(part) == dimension; };
  if (e->op != Op::add) return is_group(e);
  const Expr& first = e->operands[1];
  return is_group(e->operands[0]) && first->op == Op::variable &&
         first->name == kFirstGroup[dimension];
}

// Whether `e` is number of workgroups - 1 - block, where `block` is the name of the block.
bool counts_down(const Expr& e, const GridDimension& dimension, const std::string& block) {
  if (e->op != Op::subtract) return false;
  const Expr &last = e->operands[0], &down = e->operands[1];
  return down->op == Op::variable && down->name == block && last->op == Op::subtract &&
         is_constant(last->operands[1], 1) && counts(last->operands[0], dimension);
}

// Whether a statement depends on the workgroup's coordinate along the dimension.
bool depends_on(const ir::Kernel& kernel, std::size_t dimension, const std::string& block) {
  bool found = false;
  ir::for_each_node(kernel, [&](const ir::Node& node) {
    const bool is_group = node.op == Op::builtin && node.builtin == kGroups[dimension];
    const bool is_name =
        node.op == Op::variable && (node.name == block || node.name == kFirstGroup[dimension]);
    found = found || is_group || is_name;
  });
  return found;
}

void count_up(ir::Kernel& kernel, std::size_t dimension) {
  ir::Let *block = nullptr, *down = nullptr;
  for (ir::Stmt& statement : kernel.body) {
    auto* let = std::get_if<ir::Let>(&statement.value);
    if (let == nullptr) continue;
    if (block == nullptr && is_block(let->value, dimension)) block = let;
    if (block == nullptr || !counts_down(let->value, kernel.grid[dimension], block->name)) continue;
    down = let;
    break;
  }
  if (down == nullptr) return;
  const Expr block_value = std::exchange(block->value, 0);
  Expr value = std::exchange(down->value, 0);
  if (!depends_on(kernel, dimension, block->name)) value = ir::variable(block->name);
  block->value = block_value;
  down->value = value;
}

}  // namespace

ir::Kernel with_forward_workgroups(const ir::Kernel& kernel) {
  ir::Kernel forward = kernel;
  for (std::size_t i = 0; i < forward.grid.size(); ++i) count_up(forward, i);
  return forward;
}

}  // namespace vkmoye::gen
