// SPDX-License-Identifier: MIT
#pragma once
// The commands of vkmoye-bench, and their options: one table, read by one function, so that every command reads an
// option in the same way and with the same error messages.

#include <CLI/CLI.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "measure/measure.hpp"
#include "registry/operations.hpp"

namespace vkmoye::bench {

enum class CommandName {
  devices,
  list,
  run,
  apply,
  emit,
  explain,
  layout,
  suite,
  pack,
  tune,
  matmul,
  compare,
  peak,
};

const char* to_string(CommandName name);

/// Several commands: run | suite.
class Commands {
 public:
  constexpr Commands() = default;
  constexpr Commands(CommandName one) : bits_(1u << static_cast<unsigned>(one)) {}

  friend constexpr Commands operator|(Commands a, Commands b) {
    a.bits_ |= b.bits_;
    return a;
  }
  constexpr bool has(CommandName one) const { return (bits_ & Commands(one).bits_) != 0; }

 private:
  unsigned bits_ = 0;
};

constexpr Commands operator|(CommandName a, CommandName b) { return Commands(a) | Commands(b); }

/// The values of all options, with defaults for those not given; those of a measurement are in the base.
struct CommandOptions : MeasureOptions {
  std::vector<std::string> kernels;  // names or patterns
  std::vector<Extents> sizes;
  std::vector<std::string> types;  // as typed, one for each --type
  gen::Options config;             // options of kernels: --tile
  std::string format = "table", output;
  std::string report;     // the page of run and suite; empty: none
  bool commands = false;  // print the command that repeats each result, in tables
  double min_effect = 3;  // percent; smaller differences count as none

  bool quick = false;
  std::int64_t cliffs = 0;  // random shapes of `suite`; 0: its own sizes
  bool prove = false;       // list what must hold in every launch
  bool again = false;       // measure ceilings that are kept
  double tune_budget = 60;  // seconds
  std::string table;        // the file that `tune` writes; empty: the device's own

  std::vector<std::string> in, out;  // files
  /// Files by the name of the array that the epilogue reads: bias.
  std::map<std::string, std::string> epilogue_files;
  std::string spirv, interface;
  std::string kernel_file, reference;
  std::string sizes_from_buffer;  // names, separated by commas; empty: none
  std::string as = "b";           // the operand that `pack` packs
  std::optional<std::int64_t> subgroup_size;

  std::string expression, draw, fragment;
  bool jsonl = false;
};

/// The commands to which the options of kernels belong.
inline constexpr Commands kTakeKernelOptions = CommandName::run | CommandName::apply |
                                               CommandName::pack | CommandName::emit |
                                               CommandName::explain;

/// Whether `tune` searches the values of the option `name` itself, so that it cannot be given.
bool is_searched(const std::string& name);

/// The commands that take `option` for kernels of `operation`.
Commands commands_of(const Operation& operation, const OperationOption& option);

/// Adds the options of `command` to `app`, which stores their values in `options`; `options` must outlive it. Reading
/// throws ArgumentError with the option, its text and what is expected.
void add_options(CLI::App& app, CommandName command, CommandOptions& options);

/// The size that was given, or `usual` if none was. Throws ArgumentError for several.
Extents one_size(const CommandOptions& options, const Extents& usual);

/// The type that was given, or `usual` if none was. Throws ArgumentError for several.
std::string one_type(const CommandOptions& options, const std::string& usual);

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
