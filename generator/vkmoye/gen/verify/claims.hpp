// SPDX-License-Identifier: MIT
#pragma once
// What must hold in every launch of a kernel, how far each claim is shown, and by what.
//
//   for (const Claim& c : claims_of(kernel)) std::puts((c.text + ": " + answer_text(c)).c_str());
//
//     names and types are right: proved
//     each index of a buffer is inside: proved
//     ..
//     each element of dst is written: tried at 5 sizes

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen {

struct Claim {
  enum class Answer : std::uint8_t {
    proved,   // for every size that a launch can have
    assumed,  // the kernel's author asserts it
    tried,    // neither: nothing was found against it at a few sizes
  };
  enum class Decider : std::uint8_t {
    rules,    // of names, types and guards: verify/scope.hpp
    machine,  // it follows every access in all rounds: verify/races.hpp, verify/written.hpp
    isl,      // with sets of integers: proof/results.hpp, proof/reads.hpp
    twin,     // runs the kernel at a few sizes without data: verify/trial.hpp
    author,   // of the kernel, by an assumption
  };

  std::string text;        // "each element of dst is written"
  std::string array = {};  // the one that it is about; "": of all
  Answer answer = Answer::proved;
  Decider by = Decider::rules;
  std::string why = {};  // why it is assumed, or not proved
  double ms = 0;         // milliseconds that the decision took
  /// The number of sizes at which every workgroup was followed, for a claim that is only tried.
  std::size_t tried = 0;
};

std::string to_string(Claim::Answer answer);
std::string to_string(Claim::Decider decider);

/// "proved", "assumed", "tried at 5 sizes".
std::string answer_text(const Claim& claim);

/// The claims about `kernel`, each decided again and timed; claims that one pass decides together have its time at
/// the first of them. Throws KernelError with the reasons of verify, if there are any: then some claim is false.
std::vector<Claim> claims_of(const ir::Kernel& kernel);

}  // namespace vkmoye::gen
