// SPDX-License-Identifier: MIT
#pragma once
// What a command of vkmoye-bench is, and all of them.

#include <string>

#include "commands/options.hpp"

namespace vkmoye::bench {

/// The contract with scripts.
enum Exit : int {
  kOk = 0,  // all that ran was right
  kWrongResult = 1,
  kUsage = 2,         // wrong usage or bad input
  kNothingRan = 3,    // no device, or everything was skipped
  kTooSlow = 4,       // slower than a baseline asked for as a gate
  kDriverFailed = 5,  // the device was lost or the driver failed
};

struct Command {
  CommandName name;
  const char* summary;   // one line
  const char* examples;  // and notes, below the options
  /// Returns the exit status. Throws an Error.
  int (*perform)(const Given& given);
};

extern const Command kDevices, kList, kRun, kApply, kMatmul, kPack, kEmit, kExplain, kLayout, kTune,
    kSuite, kCompare;

}  // namespace vkmoye::bench
