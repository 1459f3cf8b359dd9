// SPDX-License-Identifier: MIT
#pragma once
// Collects the reasons why something is refused, so that a user reads all of them at once.

#include <string>
#include <utility>
#include <vector>

namespace vkmoye {

/// Reasons in the order in which they were found, each of them once: several arrays may have the same one.
class Reasons {
 public:
  void add(std::string reason);
  void add_all(std::vector<std::string> reasons);

  bool empty() const { return all_.empty(); }
  const std::vector<std::string>& list() const { return all_; }
  std::vector<std::string> take() && { return std::move(all_); }
  /// "gemm: one reason"; several are a list, each on a line of its own.
  std::string text(const std::string& subject) const;

 private:
  std::vector<std::string> all_;
};

/// Moves `more` to the end of `reasons`.
void add_all(std::vector<std::string>& reasons, std::vector<std::string> more);

}  // namespace vkmoye
