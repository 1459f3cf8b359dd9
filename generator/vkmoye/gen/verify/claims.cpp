// SPDX-License-Identifier: MIT
#include "vkmoye/gen/verify/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/ir/assumptions.hpp"
#include "vkmoye/gen/ir/traversal.hpp"
#include "vkmoye/gen/proof/reads.hpp"
#include "vkmoye/gen/proof/results.hpp"
#include "vkmoye/gen/verify/races.hpp"
#include "vkmoye/gen/verify/scope.hpp"
#include "vkmoye/gen/verify/trial.hpp"
#include "vkmoye/gen/verify/verify.hpp"
#include "vkmoye/gen/verify/written.hpp"

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

// Makes it one that only `trials` support; they prove it if there is no other launch.
Claim tried(Claim claim, const Trials& trials) {
  claim.by = Claim::Decider::twin;
  if (trials.are_all) {
    claim.why.clear();
    return claim;
  }
  claim.answer = Claim::Answer::tried;
  claim.tried = trials.whole;
  if (trials.in_part > 0) {
    claim.why += fmt::format("{}{} of {} launches {} followed in part",
                             claim.why.empty() ? "" : "; ", trials.in_part,
                             trials.whole + trials.in_part, trials.in_part == 1 ? "is" : "are");
  }
  return claim;
}

// As isl, the author, or else `trials` decide.
Claim settled(const proof::Obligation& from, const Trials& trials) {
  Claim claim = {.text = from.claim,
                 .array = from.array,
                 .by = Claim::Decider::isl,
                 .why = from.why,
                 .ms = from.ms};
  switch (from.answer) {
    case proof::Answer::proved: return claim;
    case proof::Answer::assumed:
      claim.answer = Claim::Answer::assumed;
      claim.by = Claim::Decider::author;
      return claim;
    case proof::Answer::refuted:  // verify followed the launch, and found nothing wrong
      claim.why += "; the counterexample that isl gave ran without a fault";
      break;
    case proof::Answer::inexact:
    case proof::Answer::gave_up: break;
  }
  return tried(std::move(claim), trials);
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
    list.push_back({.text = ir::text_of(assume->condition),
                    .answer = Claim::Answer::assumed,
                    .by = Claim::Decider::author,
                    .why = assume->why});
  });
  // A kernel of which all is proved is not run.
  std::optional<Trials> trials;
  const auto settle = [&](const proof::Obligation& from) {
    const bool needs_trials =
        from.answer != proof::Answer::proved && from.answer != proof::Answer::assumed;
    if (needs_trials && !trials) trials = try_sizes(kernel);
    list.push_back(settled(from, trials.value_or(Trials{})));
  };
  std::set<std::string> written;
  const double ms_of_written = time_of([&] { written = arrays_written_before_read(kernel); });
  for (const std::string& array : written) {
    list.push_back({.text = proof::claim_of_reads(array),
                    .array = array,
                    .by = Claim::Decider::machine,
                    .ms = array == *written.begin() ? ms_of_written : 0});
  }
  for (const auto& one : proof::prove_reads(kernel, written)) settle(one);
  for (const auto& one : proof::prove_results(kernel)) settle(one);
  return list;
}

std::string answer_text(const Claim& claim) {
  const std::size_t sizes = claim.tried;
  if (claim.answer != Claim::Answer::tried) return to_string(claim.answer);
  return fmt::format("tried at {} size{}", sizes, sizes == 1 ? "" : "s");
}

std::string to_string(Claim::Answer answer) {
  switch (answer) {
    case Claim::Answer::proved: return "proved";
    case Claim::Answer::assumed: return "assumed";
    case Claim::Answer::tried: return "tried";
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
