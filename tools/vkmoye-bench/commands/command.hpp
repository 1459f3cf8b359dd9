// SPDX-License-Identifier: MIT
#pragma once
// The commands of vkmoye-bench.

#include <string>

#include "commands/options.hpp"

namespace vkmoye::bench {

/// The exit statuses that scripts rely on.
enum Exit : int {
  kOk = 0,  // every result is right
  kWrongResult = 1,
  kUsage = 2,         // wrong usage or bad input
  kNothingRan = 3,    // no device, or everything was skipped
  kTooSlow = 4,       // below the gate
  kDriverFailed = 5,  // the device was lost or the driver failed
};

struct Command {
  CommandName name;
  const char* summary;   // one line
  const char* examples;  // and notes, below the options
  /// Returns the exit status. Throws an Error.
  int (*perform)(const CommandOptions& options);
};

extern const Command kDevices, kList, kRun, kApply, kMatmul, kPack, kEmit, kExplain, kLayout, kTune,
    kPeak, kSuite, kCompare;

}  // namespace vkmoye::bench
