#pragma once
// What the commands of vkmoye-bench share: exit status, kernel names, common options.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "vkmoye/gen/kernels/registry.hpp"

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

/// Adds a command to the program. Its callback leaves the exit status in `status`.
using AddCommand = void (*)(CLI::App& app, int& status);

void add_devices(CLI::App& app, int& status);
void add_list(CLI::App& app, int& status);
void add_run(CLI::App& app, int& status);
void add_apply(CLI::App& app, int& status);
void add_emit(CLI::App& app, int& status);
void add_explain(CLI::App& app, int& status);
void add_layout(CLI::App& app, int& status);
void add_suite(CLI::App& app, int& status);

/// The kernels that `patterns` name, in the order of the registry within each pattern. Throws
/// ArgumentError for a pattern that matches none, with the nearest name.
std::vector<const gen::KernelEntry*> find_kernels(const std::vector<std::string>& patterns);

/// The one kernel called `name`; throws as `find_kernels`, also for a pattern of several.
const gen::KernelEntry& find_one_kernel(const std::string& name);

/// Refuses an empty value: it is a variable of a script that was not set, not the default.
CLI::Validator not_empty();

/// Refuses a value that is none of `names`, with the nearest. `what` is a noun: "format".
CLI::Validator one_of(const std::string& what, std::vector<std::string> names);

/// The overrides of a kernel's config: --tile, --threads, --pad and so on.
class ConfigOptions {
 public:
  void add_to(CLI::App& command);
  /// Those that were given.
  const gen::Options& given() const { return given_; }

 private:
  gen::Options given_;
};

}  // namespace vkmoye::bench
