// SPDX-License-Identifier: MIT
#include "vkmoye/gen/verify/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/ir/assumptions.hpp"
#include "vkmoye/gen/ir/grid_barrier.hpp"
#include "vkmoye/gen/ir/traversal.hpp"
#include "vkmoye/gen/proof/results.hpp"
#include "vkmoye/gen/verify/races.hpp"
#include "vkmoye/gen/verify/scope.hpp"
#include "vkmoye/gen/verify/verify.hpp"
#include "vkmoye/gen/verify/written_before_read.hpp"

namespace vkmoye::gen {
namespace {

// Milliseconds that `pass` takes.
template <class Pass>
double time_of(const Pass& pass) {
  const auto start = std::chrono::steady_clock::now();
  pass();
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
  return time.count();
}

// As `by` or the author decide. verify refuses what neither does, unless the kernel has one launch, which the twin
// followed.
Claim settled(const proof::Obligation& from, Claim::Decider by) {
  Claim claim = {.text = from.claim, .array = from.array, .by = by, .why = from.why, .ms = from.ms};
  if (from.decision == proof::Decision::assumed) {
    claim.answer = Claim::Answer::assumed;
    claim.by = Claim::Decider::author;
  } else if (from.decision != proof::Decision::proved) {
    claim.by = Claim::Decider::twin;
    claim.why.clear();
  }
  return claim;
}

}  // namespace

std::vector<Claim> claims_of(const ir::Kernel& kernel) {
  throw_if_any(kernel.name, verify(kernel));
  if (kernel.hand_written) {
    return {{.text = "the shader is right",
             .answer = Claim::Answer::assumed,
             .by = Claim::Decider::author,
             .why = "it was written by hand as GLSL, and nothing in it is verified"}};
  }
  std::vector<Claim> list;
  if (ir::has_phases(kernel)) {
    for (const ir::Kernel& phase : ir::phases_of(kernel)) {
      for (Claim& claim : claims_of(phase)) list.push_back(std::move(claim));
    }
    list.push_back({.text = "all workgroups of the launch run at once",
                    .array = kernel.arrivals,
                    .answer = Claim::Answer::assumed,
                    .by = Claim::Decider::author,
                    .why = "the device says how many do, see DeviceCaps::resident_groups"});
    return list;
  }
  // What one pass proves.
  const auto add = [&](Claim::Decider by, double ms, const std::vector<std::string>& claims) {
    for (const std::string& text : claims) {
      list.push_back({.text = text, .by = by, .ms = &text == &claims.front() ? ms : 0});
    }
  };
  add(Claim::Decider::rules, time_of([&] { check_scope(kernel); }),
      {"names and types are right", "each index of a buffer is inside",
       "all threads or none reach each barrier"});
  if (kernel.shared_bytes() > 0) {
    add(Claim::Decider::machine, time_of([&] { check_shared_memory(kernel); }),
        {"each index of shared memory is inside", "no two threads race in shared memory"});
  }
  ir::for_each(kernel.body, [&](const ir::Stmt& statement) {
    const auto* assume = std::get_if<ir::Assume>(&statement.value);
    if (assume == nullptr) return;
    list.push_back({.text = ir::to_string(assume->condition),
                    .answer = Claim::Answer::assumed,
                    .by = Claim::Decider::author,
                    .why = assume->why});
  });
  for (const ir::Assumption& one : kernel.assumptions) {
    if (one.kind != ir::Assumption::Kind::order) continue;
    list.push_back(
        {.text = "lanes hold the elements of " + one.array + " in the order of the kernel",
         .array = one.array,
         .answer = Claim::Answer::assumed,
         .by = Claim::Decider::author,
         .why = one.why});
  }
  for (const auto& one : prove_reads(kernel)) {
    list.push_back(settled(one, Claim::Decider::machine));
  }
  for (const auto& one : proof::prove_results(kernel)) {
    list.push_back(settled(one, Claim::Decider::isl));
  }
  return list;
}

std::string to_string(Claim::Answer answer) {
  switch (answer) {
    case Claim::Answer::proved: return "proved";
    case Claim::Answer::assumed: return "assumed";
  }
  return "?";
}

std::string to_string(Claim::Decider decider) {
  switch (decider) {
    case Claim::Decider::rules: return "rules";
    case Claim::Decider::machine: return "machine";
    case Claim::Decider::isl: return "isl";
    case Claim::Decider::twin: return "twin";
    case Claim::Decider::author: return "author";
  }
  return "?";
}

}  // namespace vkmoye::gen
