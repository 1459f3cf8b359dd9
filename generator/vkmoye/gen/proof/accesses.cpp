// SPDX-License-Identifier: MIT
#include "vkmoye/gen/proof/accesses.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "vkmoye/gen/ir/traversal.hpp"

namespace vkmoye::gen::proof {
namespace {

class Walker {
 public:
  Walker(const ir::Kernel& kernel, IndexValues& values,
         const std::function<bool(const ir::Array&)>& wanted)
      : kernel_(kernel), values_(values), wanted_(wanted) {}

  void walk(const ir::Body& body) {
    for (const ir::Stmt& statement : body) {
      const ir::Effects effects = effects_of(statement, kernel_);
      for (const ir::StatementAccess& access : effects.accesses) take(access);
      for (const ir::NestedBody& inner : effects.nested) {
        if (!has_wanted(*inner.body)) continue;
        values_.enter();
        const std::size_t outer = branches_.size();
        if (const auto of_launch = values_.add(inner)) {
          branches_.push_back({inner.body, *of_launch});
        }
        walk(*inner.body);
        branches_.erase(branches_.begin() + static_cast<std::ptrdiff_t>(outer), branches_.end());
        values_.leave();
      }
      const auto* load = std::get_if<ir::Load>(&statement.value);
      for (const ir::Definition& definition : effects.defines) {
        values_.define(definition, load != nullptr ? &load->from : nullptr);
      }
      for (const ir::Expr* condition : effects.assumes) {
        values_.assume(*condition);
      }
    }
  }

  std::vector<Access> list;

 private:
  bool is_wanted(const ir::StatementAccess& access) const {
    const ir::Array* array = kernel_.find(access.element->array);
    return array != nullptr && wanted_(*array);
  }
  bool has_wanted(const ir::Body& body) const {
    bool found = false;
    for_each(body, [&](const ir::Stmt& statement) {
      const ir::Effects effects = effects_of(statement, kernel_);
      found = found ||
              std::any_of(effects.accesses.begin(), effects.accesses.end(),
                          [&](const ir::StatementAccess& access) { return is_wanted(access); });
    });
    return found;
  }

  void take(const ir::StatementAccess& access) {
    if (!is_wanted(access)) return;
    const ir::Array* array = kernel_.find(access.element->array);
    Solver& solver = values_.solver();
    Access out{
        access,   array, axes_of(*access.element, *array), solver.everything(), values_.is_exact(),
        branches_};
    Set points = solver.everything();
    const auto& coordinates = access.element->coordinates;
    for (std::size_t i = 0; i < coordinates.size(); ++i) {
      const IndexValues::Index first = values_.of(coordinates[i]);
      out.is_exact = out.is_exact && first.is_exact;
      const std::uint32_t width = i == 0 ? access.element->width : 1;
      points = points & values_.among(coordinate_variable(i), first.value, width);
    }
    if (access.lanes != 0) {
      const ir::Expr lane = ir::builtin(ir::Builtin::lane);
      points = points & values_.less(values_.of(lane).value, access.lanes);
    }
    out.points = values_.facts() & points;
    list.push_back(std::move(out));
  }

  const ir::Kernel& kernel_;
  IndexValues& values_;
  const std::function<bool(const ir::Array&)>& wanted_;
  std::vector<Branch> branches_;
};

}  // namespace

std::string coordinate_variable(std::size_t axis) { return fmt::format("@{}", axis); }

std::vector<Access> accesses_of(const ir::Kernel& kernel, IndexValues& values,
                                const std::function<bool(const ir::Array&)>& wanted) {
  Walker walker(kernel, values, wanted);
  walker.walk(kernel.body);
  return std::move(walker.list);
}

}  // namespace vkmoye::gen::proof
