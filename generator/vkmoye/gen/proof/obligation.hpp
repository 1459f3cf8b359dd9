// SPDX-License-Identifier: MIT
#pragma once
// A claim about every launch of a kernel, and how it was decided.

#include <functional>
#include <string>
#include <vector>

#include "vkmoye/gen/proof/access_sets.hpp"

namespace vkmoye::gen::proof {

enum class Decision : std::uint8_t {
  proved,
  assumed,  // the author asserts it
  refuted,
  inexact,  // it depends on what linear functions of sizes do not express
  gave_up,  // isl takes too many steps
};

struct Obligation {
  std::string claim;       // "each element of dst is written"
  std::string array = {};  // the array that it is about
  Decision decision = Decision::proved;
  std::string why = {};  // why it is not proved
  Point arguments = {};  // the arguments of a launch that refutes it
  double ms = 0;         // the milliseconds that the decision took
};

/// `claim`, assumed if the author assumes one of `kinds` of `array`; else with the decision that `prove` gives.
Obligation decide(const ir::Kernel& kernel, const std::string& array, const std::string& claim,
                  const std::vector<ir::Assumption::Kind>& kinds,
                  const std::function<void(Obligation&)>& prove);

/// Answers that `points` contradict the claim: refuted, with arguments, if they occur; inexact if they only may.
void contradict(Obligation& obligation, const std::string& why, const Set& points, bool occur,
                AccessSets& sets);

}  // namespace vkmoye::gen::proof
