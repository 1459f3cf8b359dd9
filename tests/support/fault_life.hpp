// SPDX-License-Identifier: MIT
#pragma once
// A life of some objects in which each fallible Vulkan call fails in turn. What failed is tried again, and
// works: so a life can go on to its end, where its results are right.
//
//   each_call_fails(faults, VK_ERROR_DEVICE_LOST, [&](Retry& retry) {
//     Device device = retry([&] { return open_through(FaultTable::get_instance_proc_addr(), "0"); });
//     retry([&] { device.run(launch); });
//     EXPECT_EQ(..);
//   });

#include <string>
#include <vector>

#include "support/fault_table.hpp"
#include "vkmoye/base/error.hpp"

namespace vkmoye::test {

/// Runs steps, and again those that a fault hits.
class Retry {
 public:
  explicit Retry(const FaultTable& faults) : faults_(faults) {}

  /// What `step` returns. Its first DeviceError is kept; a second one, and any other error, is not caught.
  template <class Step>
  auto operator()(Step step) {
    if (errors_.empty()) {
      try {
        return step();
      } catch (const DeviceError& error) {
        errors_.push_back(error);
      }
    }
    return step();
  }
  const std::vector<DeviceError>& errors() const { return errors_; }

  /// What comes are destructors: a call of theirs that fails is no error.
  void ends() { fails_in_destructors_ = faults_.failed_call().empty(); }
  bool fails_in_destructors() const { return fails_in_destructors_; }

 private:
  const FaultTable& faults_;
  bool fails_in_destructors_ = false;
  std::vector<DeviceError> errors_;  // one at most
};

/// Lives `life` again and again, until no call is left that has not failed with `result`. Each time the error
/// must name the call and be of the kind that belongs to `result`, unless no error is due (see the source);
/// the life must reach its end; as many objects are left as there were before. Returns how many errors there
/// were.
int each_call_fails(FaultTable& faults, VkResult result,
                    const std::function<void(Retry& retry)>& life);

}  // namespace vkmoye::test
