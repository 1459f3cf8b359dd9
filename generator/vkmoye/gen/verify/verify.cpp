// SPDX-License-Identifier: MIT
#include "vkmoye/gen/verify/verify.hpp"

#include <algorithm>

#include "vkmoye/base/reasons.hpp"
#include "vkmoye/gen/ir/identical.hpp"
#include "vkmoye/gen/verify/accepted_kernels.hpp"
#include "vkmoye/gen/verify/all_sizes.hpp"
#include "vkmoye/gen/verify/exact_values.hpp"
#include "vkmoye/gen/verify/fragment_orders.hpp"
#include "vkmoye/gen/verify/races.hpp"
#include "vkmoye/gen/verify/scope.hpp"
#include "vkmoye/gen/verify/trial.hpp"

namespace vkmoye::gen {
namespace {

// Following a kernel with undefined names, or at sizes when it is wrong at all of them, would only
// repeat what is said already. Sizes are tried where all is proved, too: the twin does not rely on what proofs find out
// about loops and sizes.
std::vector<std::string> check(const ir::Kernel& kernel) {
  std::vector<std::string> reasons = check_scope(kernel);
  add_all(reasons, check_exact_values(kernel));
  if (reasons.empty()) reasons = check_fragment_orders(kernel);
  if (reasons.empty()) reasons = check_shared_memory(kernel);
  if (!reasons.empty()) return reasons;
  Trials trials = try_sizes(kernel);
  if (!trials.reasons.empty() || trials.are_all) return std::move(trials.reasons);
  return check_all_sizes(kernel, obligations_of(kernel));
}

}  // namespace

std::vector<std::string> verify(const ir::Kernel& kernel) {
  if (kernel.verified && ir::identical(*kernel.verified, kernel)) return {};
  if (kernel.hand_written) return check_scope(kernel);
  if (accepted_kernels().contains(kernel)) return {};
  std::vector<std::string> reasons = check(kernel);
  if (reasons.empty()) accepted_kernels().add(kernel);
  return reasons;
}

bool are_unproved(const std::vector<std::string>& reasons) {
  return std::all_of(reasons.begin(), reasons.end(),
                     [](const std::string& reason) { return reason.starts_with("not proved: "); });
}

}  // namespace vkmoye::gen
