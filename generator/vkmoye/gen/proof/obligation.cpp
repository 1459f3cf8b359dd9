// SPDX-License-Identifier: MIT
#include "vkmoye/gen/proof/obligation.hpp"

#include <algorithm>
#include <chrono>

namespace vkmoye::gen::proof {

Obligation decide(const ir::Kernel& kernel, const std::string& array, const std::string& claim,
                  const std::vector<ir::Assumption::Kind>& kinds,
                  const std::function<void(Obligation&)>& prove) {
  Obligation obligation{claim, array};
  const auto assumption = std::find_if(
      kernel.assumptions.begin(), kernel.assumptions.end(), [&](const ir::Assumption& one) {
        return one.array == array && std::find(kinds.begin(), kinds.end(), one.kind) != kinds.end();
      });
  if (assumption != kernel.assumptions.end()) {
    obligation.decision = Decision::assumed;
    obligation.why = assumption->why;
    return obligation;
  }
  const auto start = std::chrono::steady_clock::now();
  try {
    prove(obligation);
  } catch (const GaveUp&) {
    obligation.decision = Decision::gave_up;
    obligation.why = "it takes too many steps";
  }
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
  obligation.ms = time.count();
  return obligation;
}

void contradict(Obligation& obligation, const std::string& why, const Set& points, bool occur,
                AccessSets& sets) {
  // An unknown that depends on arguments has a value that the sets do not know.
  const std::vector<std::string> variables = points.variables();
  const bool is_known = std::none_of(variables.begin(), variables.end(),
                                     [](const std::string& name) { return name.starts_with("?"); });
  obligation.decision = occur && is_known ? Decision::refuted : Decision::inexact;
  obligation.why = why;
  if (obligation.decision == Decision::refuted) obligation.arguments = sets.arguments_in(points);
}

}  // namespace vkmoye::gen::proof
