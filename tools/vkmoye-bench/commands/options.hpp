// SPDX-License-Identifier: MIT
#pragma once
// The commands of vkmoye-bench, and their options: one table, read by one function, so that every command reads an
// option in the same way and with the same error messages.

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <optional>
#include <span>
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
  completion,
  man,
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
  std::vector<std::string>
      devices;          // of `emit`, which takes several; the base has that of other commands
  gen::Options config;  // options of kernels: --tile
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
  std::string from;               // the scheme of the arrays that `pack` reads; empty: none
  std::optional<std::int64_t> subgroup_size;

  std::string expression, draw, fragment, weights;
  bool jsonl = false;

  std::string shell;
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
/// The type that was given; else f32, or the first type of a kernel that does not have it.
std::string one_type(const CommandOptions& options, const gen::KernelEntry& entry);

/// The exit statuses that scripts rely on.
enum Exit : int {
  kOk = 0,  // every result is right
  kWrongResult = 1,
  kUsage = 2,         // wrong usage or bad input
  kNothingRan = 3,    // no device, or everything was skipped
  kTooSlow = 4,       // below the gate
  kDriverFailed = 5,  // the device was lost or the driver failed
};

/// What each exit status means, from 0.
inline constexpr const char* kExitMeanings[] = {"success",
                                                "a wrong result",
                                                "wrong usage or bad input",
                                                "nothing could run",
                                                "below the --gate or SLOW in compare",
                                                "device lost or driver failed"};

struct Command {
  CommandName name;
  const char* summary;   // one line
  const char* examples;  // and notes, below the options
  /// Returns the exit status. Throws an Error.
  int (*perform)(const CommandOptions& options);
};

extern const Command kDevices, kList, kRun, kApply, kMatmul, kPack, kEmit, kExplain, kLayout, kTune,
    kPeak, kSuite, kCompare, kCompletion, kMan;

/// All commands, in the order of `--help`.
std::span<const Command* const> commands();

/// The number of values that an option takes.
enum class ValueCount {
  none,     // a flag
  one,      // one value; the option may be given once
  each,     // one value; the option may be repeated
  several,  // several values after one another
};

/// How the values of an option are read.
struct Reading {
  /// Returns false if the text is not valid, or throws ArgumentError with details.
  std::function<bool(const std::string& text, CommandOptions& options)> read;
  ValueCount values = ValueCount::one;
  std::string expects = {};  // for error messages: "a whole number"
  /// Its values, or those that a shell offers and messages suggest; empty: any.
  std::vector<std::string> choices = {};
};

/// What an option means for some commands.
struct Use {
  Commands commands;
  std::string help;
  bool is_required;
  std::optional<Reading> reading;  // where these commands read the option in another way
};

struct Option {
  /// `words`: the name, and what help calls the value: "--size SIZE"; a flag: "--quick"; a positional argument:
  /// "EXPR", or "ARRAYS FILE". FILE, KERNEL and DEVICE also tell shells what to offer. The rest is the first use.
  Option(const std::string& words, Reading usual, Commands commands, std::string help,
         bool is_required = false, std::optional<Reading> reading = {});
  /// Adds a use.
  Option&& also(Commands commands, std::string help, bool is_required = false,
                std::optional<Reading> reading = {});

  /// The use of `command`; nullptr: the command does not take the option.
  const Use* use_of(CommandName command) const;
  const Reading& reading_of(const Use& use) const;
  bool is_positional() const { return !name.starts_with("-"); }
  /// The name with hyphens in place of underscores: both are accepted.
  std::string hyphenated() const;

  std::string name, value;
  Reading usual;
  std::vector<Use> uses;
  /// Its meaning may differ between kernels, so it is not in the help of a command; kernel_help describes it.
  bool is_of_one_kernel = false;
};

/// All options except those of kernels and operations.
std::vector<Option> option_table();

/// The kernels that a word of a command line names or matches, in the order of the registry.
std::vector<const gen::KernelEntry*> kernels_among(std::span<const std::string> words);

/// All options: those of the table, then those of kernels and operations.
std::vector<Option> all_options();

}  // namespace vkmoye::bench
