// SPDX-License-Identifier: MIT
#pragma once
// Makes each fallible Vulkan call in the life of some objects fail in turn. The failed step is tried again and
// succeeds, so that the life continues to its end, where its results must be right; or it ends the life.
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

/// What follows a fault.
enum class AfterFault { tries_again, gives_up };

/// Runs steps, and repeats those that a fault hits.
class Retry {
 public:
  explicit Retry(const FaultTable& faults, AfterFault after = AfterFault::tries_again)
      : faults_(faults), after_(after) {}

  /// Returns the result of `step`. The first DeviceError is kept; a second one and other errors are not caught, and of
  /// a life that gives up, none.
  template <class Step>
  auto operator()(Step step) {
    if (errors_.empty()) {
      try {
        return step();
      } catch (const DeviceError& error) {
        errors_.push_back(error);
        if (after_ == AfterFault::gives_up) throw;
      }
    }
    return step();
  }
  const std::vector<DeviceError>& errors() const { return errors_; }

  /// From now on only destructors run, whose failed calls are not errors.
  void ends() { fails_in_destructors_ = faults_.failed_call().empty(); }
  bool fails_in_destructors() const { return fails_in_destructors_; }

 private:
  const FaultTable& faults_;
  AfterFault after_;
  bool fails_in_destructors_ = false;
  std::vector<DeviceError> errors_;  // at most one
};

/// Runs `life` repeatedly until each call has failed once with `result`. Each time, the error must name the call and
/// have the kind of `result`, unless no error is expected (see the source); the life must reach its end, unless it
/// gives up; and no objects may be left over. Returns the number of errors.
int each_call_fails(FaultTable& faults, VkResult result,
                    const std::function<void(Retry& retry)>& life,
                    AfterFault after = AfterFault::tries_again);

}  // namespace vkmoye::test
