// SPDX-License-Identifier: MIT
#pragma once
// What must hold in every launch of a kernel, and who shows or asserts each claim.
//
//   for (const Claim& c : claims_of(kernel)) std::puts((c.text + ": " + to_string(c.answer)).c_str());
//
//     names and types are right: proved
//     each index of a buffer is inside: proved
//     ..
//     each element of dst is written: assumed

#include <cstdint>
#include <string>
#include <vector>

#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen {

/// A claim about every launch of a kernel.
struct Claim {
  /// Whether the claim was proved.
  enum class Answer : std::uint8_t {
    proved,   // for every size that a launch can have
    assumed,  // the kernel's author asserts it
  };
  /// What decided the claim.
  enum class Decider : std::uint8_t {
    rules,    // rules on names, types and guards: verify/scope.hpp
    machine,  // follows each access in all rounds: verify/{races, written_before_read}.hpp
    isl,      // with sets of integers: proof/results.hpp
    twin,     // runs the only launch that the kernel can have, without data: verify/trial.hpp
    author,   // the author of the kernel, by an assumption
  };

  std::string text;        // "each element of dst is written"
  std::string array = {};  // the one that it is about; "": all
  Answer answer = Answer::proved;
  Decider by = Decider::rules;
  std::string why = {};  // why it is assumed
  double ms = 0;         // milliseconds that the decision took
};

std::string to_string(Claim::Answer answer);
std::string to_string(Claim::Decider decider);

/// The claims about `kernel`, each decided again and timed; claims that one pass decides together have its time at
/// the first of them. Throws KernelError with the reasons of verify, if there are any: then some claim is false.
std::vector<Claim> claims_of(const ir::Kernel& kernel);

}  // namespace vkmoye::gen
