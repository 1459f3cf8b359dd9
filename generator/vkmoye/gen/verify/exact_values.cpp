// SPDX-License-Identifier: MIT
#include "vkmoye/gen/verify/exact_values.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "vkmoye/gen/ir/operation.hpp"
#include "vkmoye/gen/ir/traversal.hpp"

namespace vkmoye::gen {

std::vector<std::string> check_exact_values(const ir::Kernel& kernel) {
  std::vector<std::string> reasons;
  ir::for_each(kernel.body, [&](const ir::Stmt& statement) {
    const auto* let = std::get_if<ir::Let>(&statement.value);
    if (let == nullptr || !let->exact) return;
    const ir::Type& type = let->value->type;
    if (!type.is_element() || !is_floating(type.element)) {
      reasons.push_back(
          fmt::format("'{}' is an exact value of type {}: only floating numbers are rounded",
                      let->name, name_of(type)));
    }
    bool may_fuse = false;
    ir::for_each_node(let->value, [&](const ir::Node& node) {
      may_fuse = may_fuse || node.op == ir::Op::multiply_add;
    });
    if (!may_fuse) return;
    reasons.push_back(
        fmt::format("'{}' is an exact value with a multiply_add, which devices fuse or not: write "
                    "a product and a sum",
                    let->name));
  });
  return reasons;
}

}  // namespace vkmoye::gen
