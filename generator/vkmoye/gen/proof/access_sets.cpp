// SPDX-License-Identifier: MIT
#include "vkmoye/gen/proof/access_sets.hpp"

namespace vkmoye::gen::proof {
namespace {

constexpr std::size_t kMaxPasses = 8;
// Examples with arguments up to this number are preferred, small ones first.
constexpr std::int64_t kMaxSought = 1 << 22;

}  // namespace

AccessSets::AccessSets(const ir::Kernel& kernel,
                       const std::function<bool(const ir::Array&)>& wanted, unsigned long max_steps)
    : kernel_(kernel), solver_(max_steps) {
  // What a pass splits is split from the start in the next one.
  std::size_t known = 0;
  for (std::size_t pass = 0; pass == 0 || variables_.changes() != known; ++pass) {
    if (pass == kMaxPasses) throw GaveUp{};
    known = variables_.changes();
    IndexValues draft(solver_, variables_, kernel_, /*is_draft=*/true);
    accesses_of(kernel_, draft, wanted);
    if (variables_.changes() != known) continue;
    values_.emplace(solver_, variables_, kernel_, /*is_draft=*/false);
    list_ = accesses_of(kernel_, *values_, wanted);
  }
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    const bool is_coordinate = variables_[i].name.starts_with("@");
    if (!is_coordinate && variables_[i].same_in != SameIn::launch)
      own_.push_back(variables_[i].name);
  }
}

std::vector<const Access*> AccessSets::to(const ir::Array& array) const {
  std::vector<const Access*> out;
  for (const Access& access : list_) {
    if (access.array == &array) out.push_back(&access);
  }
  return out;
}

std::vector<std::string> AccessSets::parts(const std::string& variable) {
  std::vector<std::string> out;
  for (const auto& [part, factor] : values_->variable(variable).terms) {
    out.push_back(variables_[part].name);
  }
  return out;
}

std::int64_t AccessSets::value_in(const Point& point, std::size_t variable) const {
  const Variables::Variable& v = variables_[variable];
  if (v.by != 0) return value_in(point, v.low) + v.by * value_in(point, v.high);
  const auto found = point.find(v.name);
  return found == point.end() ? v.range.min : found->second;
}

Point AccessSets::arguments_in(const Set& points) {
  const auto below = [&](std::int64_t max) {
    Set few = points;
    for (const PushConstant& argument : kernel_.arguments) {
      if (argument.type != ScalarType::u32 || !variables_.has(argument.name)) continue;
      few = few & values_->at_most(values_->variable(argument.name), max);
    }
    return few;
  };
  std::optional<Point> point;
  for (std::int64_t max = 32; !point && max <= kMaxSought; max *= 2) {
    point = below(max).sample();
  }
  if (!point) point = points.sample();
  Point out;
  for (const PushConstant& argument : kernel_.arguments) {
    if (argument.type != ScalarType::u32 || is_first_group(argument.name)) continue;
    // One that no index depends on may have any value.
    out[argument.name] =
        !variables_.has(argument.name)
            ? 1
            : value_in(point.value_or(Point{}), variables_.add(argument.name, {}, SameIn::launch));
  }
  return out;
}

Set AccessSets::elements(const std::vector<ir::Axis>& axes) {
  Set all = solver_.everything();
  const auto add_range = [&](std::size_t variable) {
    const Linear value = variables_.value(variable);
    all = all & values_->at_most(variables_[variable].range.min, value) &
          values_->at_most(value, variables_[variable].range.max);
  };
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const Linear at = values_->variable(coordinate_variable(i));
    all = all & values_->less(at, values_->of(ir::extent_of(axes[i])).value);
    for (const auto& [part, factor] : at.terms) add_range(part);
  }
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    if (variables_[i].same_in == SameIn::launch) add_range(i);
  }
  return values_->in_launch(all);
}

}  // namespace vkmoye::gen::proof
