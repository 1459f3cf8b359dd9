// SPDX-License-Identifier: MIT
#include "vkmoye/gen/verify/verify.hpp"

#include <algorithm>
#include <deque>
#include <mutex>

#include "vkmoye/gen/ir/identical.hpp"
#include "vkmoye/gen/verify/all_sizes.hpp"
#include "vkmoye/gen/verify/races.hpp"
#include "vkmoye/gen/verify/scope.hpp"
#include "vkmoye/gen/verify/trial.hpp"

namespace vkmoye::gen {
namespace {

// The kernels that were accepted last in this process. Programs describe the same kernel again and again: for each size
// of a product, say, the kernel that packs its operands.
class Accepted {
 public:
  bool contains(const ir::Kernel& kernel) {
    const std::lock_guard lock(mutex_);
    return std::any_of(kernels_.begin(), kernels_.end(),
                       [&](const ir::Kernel& one) { return ir::identical(one, kernel); });
  }
  void add(const ir::Kernel& kernel) {
    const std::lock_guard lock(mutex_);
    kernels_.push_front(kernel);
    if (kernels_.size() > kMax) kernels_.pop_back();
  }

 private:
  static constexpr std::size_t kMax = 32;
  std::mutex mutex_;
  std::deque<ir::Kernel> kernels_;
};

// Following a kernel with undefined names, or at sizes when it is wrong at all of them, would only
// repeat what is said already. Sizes are tried where all is proved, too: the twin shares nothing with the proofs.
std::vector<std::string> check(const ir::Kernel& kernel) {
  std::vector<std::string> reasons = check_scope(kernel);
  if (kernel.hand_written) return reasons;
  if (reasons.empty()) reasons = check_shared_memory(kernel);
  if (!reasons.empty()) return reasons;
  Trials trials = try_sizes(kernel);
  if (!trials.reasons.empty() || trials.are_all) return std::move(trials.reasons);
  return check_all_sizes(kernel, obligations_of(kernel));
}

}  // namespace

std::vector<std::string> verify(const ir::Kernel& kernel) {
  static Accepted accepted;
  if (kernel.verified && ir::identical(*kernel.verified, kernel)) return {};
  if (accepted.contains(kernel)) return {};
  std::vector<std::string> reasons = check(kernel);
  if (reasons.empty()) accepted.add(kernel);
  return reasons;
}

bool are_unproved(const std::vector<std::string>& reasons) {
  return std::all_of(reasons.begin(), reasons.end(),
                     [](const std::string& reason) { return reason.starts_with("not proved: "); });
}

}  // namespace vkmoye::gen
