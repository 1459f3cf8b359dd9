// SPDX-License-Identifier: MIT
#include "vkmoye/gen/verify/verify.hpp"

#include "vkmoye/gen/ir/identical.hpp"
#include "vkmoye/gen/verify/races.hpp"
#include "vkmoye/gen/verify/scope.hpp"
#include "vkmoye/gen/verify/trial.hpp"

namespace vkmoye::gen {

// Following a kernel with undefined names, or at sizes when it is wrong at all of them, would only
// repeat what is said already.
std::vector<std::string> verify(const ir::Kernel& kernel) {
  if (kernel.verified && ir::identical(*kernel.verified, kernel)) return {};
  std::vector<std::string> reasons = check_scope(kernel);
  if (reasons.empty()) reasons = check_shared_memory(kernel);
  if (reasons.empty()) reasons = try_sizes(kernel);
  return reasons;
}

}  // namespace vkmoye::gen
