// SPDX-License-Identifier: MIT
#pragma once
// Programs that time on the same GPU take turns, so that none measures the launches of another.
//
//   const TimingTurn turn(device.caps());        waits for the other programs, at most two minutes
//   if (turn.seconds_waited() > 1) ..            the device was busy until now, so its clock has risen
//
// GPUs of one name share their turns. Programs with other cache folders have turns of their own.

#include <optional>

#include "io/kept_file.hpp"
#include "vkmoye/contract/device_caps.hpp"

namespace vkmoye::bench {

/// A turn on a device, until its end or that of the program. CPUs have no turns, nor do programs without a cache folder
/// (vkmoye/base/cache_folder.hpp), in which the lock is, or on file systems without locks.
class TimingTurn {
 public:
  explicit TimingTurn(const DeviceCaps& device);
  TimingTurn(const TimingTurn&) = delete;
  TimingTurn& operator=(const TimingTurn&) = delete;

  double seconds_waited() const { return lock_ ? lock_->seconds_waited() : 0; }

 private:
  std::optional<FolderLock> lock_;
};

}  // namespace vkmoye::bench
