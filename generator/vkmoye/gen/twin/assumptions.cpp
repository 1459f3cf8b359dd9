// SPDX-License-Identifier: MIT
// Assumptions of a kernel's author that a launch on the host breaks.
#include "vkmoye/gen/ir/assumptions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "vkmoye/base/text.hpp"
#include "vkmoye/contract/scalar_value.hpp"
#include "vkmoye/gen/twin/launch.hpp"
#include "vkmoye/gen/twin/run_on_host.hpp"

namespace vkmoye::gen::twin {

using machine::Machine;
using machine::ThreadSet;
using machine::Value;
using machine::Values;

// With data, a broken assumption is a fault. Without, invocations that break it do not come here: either because
// conditions on data keep them away, or because no launch has these sizes.
ThreadSet Launch::assumed(Machine& m, const ir::Assume& assume, const ThreadSet& active,
                          bool is_sure) {
  const Values holds = m(assume.condition);
  ThreadSet out = active;
  active.for_each([&](std::size_t thread) {
    const Value& value = holds.in(thread);
    if (value && *value != 0) return;
    if (!value && !has_data_) return;
    const std::string numbers = values_text(assume.condition, m.values(), thread);
    const std::string broken = fmt::format(
        "the assumption '{}' {} in thread {} of workgroup {}{}: {}", ir::to_string(assume.condition),
        value ? "does not hold" : "is about an undefined value", thread,
        first_invocation_ / kernel_.threads, numbers.empty() ? "" : " (" + numbers + ")",
        assume.why);
    if (has_data_) return reasons_.add("assumption " + assume.why, broken);
    if (is_sure) throw BrokenAssumption(kernel_.name + " on the host: " + broken);
    out.set(thread, false);
  });
  return out;
}

std::string values_text(const ir::Expr& e, machine::Evaluator& values, std::size_t thread) {
  std::vector<std::string> parts;
  for (const ir::Expr& variable : ir::variables_of(e)) {
    const Value value = values(variable).in(thread);
    if (!value) continue;
    const ir::Type& type = variable->type;
    const bool is_number = type.is_element() && size_of(type.element) <= 4;
    parts.push_back(ir::to_string(variable) + " = " +
                    (is_number ? fmt::format("{:g}", number_of(type.element, *value))
                               : std::to_string(*value)));
  }
  return join(parts, ", ");
}

void require_assumptions(const ir::Kernel& kernel, const Arguments& arguments) {
  machine::Budget plenty(1 << 20);
  machine::Evaluator values({}, plenty);
  define(kernel, arguments, values);
  for (const ir::Assume& assume : ir::assumptions_of_launch(kernel)) {
    const Value holds = values(assume.condition).in(0);
    const auto variables = ir::variables_of(assume.condition);
    const bool is_known = std::all_of(variables.begin(), variables.end(), [&](const ir::Expr& one) {
      return values(one).in(0).has_value();
    });
    if (holds ? *holds != 0 : !is_known) continue;
    throw BrokenAssumption(fmt::format("{} on the host: the assumption '{}' does not hold ({}): {}",
                                       kernel.name, ir::to_string(assume.condition),
                                       values_text(assume.condition, values, 0), assume.why));
  }
}

}  // namespace vkmoye::gen::twin
