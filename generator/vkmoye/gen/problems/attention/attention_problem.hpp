// SPDX-License-Identifier: MIT
#pragma once
// Problems of attention: arrays of random numbers or of the user, and the check of the result.

#include "vkmoye/gen/problems/attention/options.hpp"
#include "vkmoye/gen/problems/operation.hpp"

namespace vkmoye::gen {

class AttentionProblem : public Problem {
 public:
  /// Throws ArgumentError with every reason.
  AttentionProblem(const AttentionOptions& options, const Extents& size);

  void fill(ArrayMemory& memory, std::uint64_t seed) const override;
  /// The lengths must be from 0 to the number of keys.
  std::vector<std::string> reasons_against_contents(
      std::size_t input, const std::vector<std::byte>& contents) const override;
  CheckResult check(const ArrayMemory& memory, Verify verify, std::uint64_t seed) const override;

 private:
  double products() const;

  TypedAttention call_;
  bool hard_;
};

Operation attentions();

}  // namespace vkmoye::gen
