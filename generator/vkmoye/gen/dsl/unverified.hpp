// SPDX-License-Identifier: MIT
#pragma once
// Descriptions without their verification, which takes most of the time: for tests that describe thousands of kernels.

#include <cstdint>

namespace vkmoye::gen {

/// While one exists, Builder::finish does not verify the kernels of this thread. It leaves Kernel::verified empty, so
/// gen::compile verifies them. Scopes may nest.
class UnverifiedDescriptions {
 public:
  UnverifiedDescriptions();
  ~UnverifiedDescriptions();
  UnverifiedDescriptions(const UnverifiedDescriptions&) = delete;
  UnverifiedDescriptions& operator=(const UnverifiedDescriptions&) = delete;

  /// The number of kernels of this thread that a Builder has begun since then.
  std::int64_t begun() const;

 private:
  std::int64_t before_;
};

namespace detail {
/// Called by Builder: when it begins a kernel, and to find out whether to verify it.
void begin_description();
bool verifies_descriptions();
}  // namespace detail

}  // namespace vkmoye::gen
