// SPDX-License-Identifier: MIT
#pragma once
// What a user can say to the commands: one table of options, read by one function, so that an option
// is read the same way by every command and refused in the same words.

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "workloads/operation.hpp"
#include "workloads/timing/measure.hpp"

namespace vkmoye::bench {

/// A bit for each, so that an option can belong to several.
enum class CommandName : unsigned {
  devices = 1,
  list = 2,
  run = 4,
  apply = 8,
  emit = 16,
  explain = 32,
  layout = 64,
  suite = 128,
  pack = 256,
  tune = 512,
  matmul = 1024,
  compare = 2048,
};

const char* to_string(CommandName name);

/// What was typed; what was not has its default.
struct Given {
  std::vector<std::string> kernels;  // names or patterns
  std::vector<Extents> sizes;
  std::vector<std::string> types;  // as typed, one for each --type
  gen::Options config;             // of kernels: --tile
  gen::Options values;             // of operations: --alpha
  std::string device;              // empty: the best one, or none
  std::string format = "table", output;
  bool commands = false;    // in tables, the command that repeats each row
  double least_effect = 3;  // percent: a smaller difference is none

  MeasureOptions measure;
  bool quick = false;
  double budget = 60;  // seconds
  std::string table;   // the file that `tune` writes; empty: the device's own

  std::vector<std::string> in;
  std::map<std::string, std::string> epilogue_files;  // by what the epilogue reads: bias
  std::string out, spirv, interface;
  std::string kernel_file, reference;
  std::string as = "b";  // the operand that `pack` packs
  std::optional<std::int64_t> subgroup;

  std::string expression, draw, fragment;
  bool jsonl = false;
};

/// The bits of the commands that take `option` for kernels of `operation`.
unsigned commands_of(const Operation& operation, const OperationOption& option);

/// Adds those options of the table to `app` that belong to `command`; what is typed for them goes
/// into `given`. Reading throws ArgumentError: the option, what was typed, what is expected.
void add_options(CLI::App& app, CommandName command, const std::shared_ptr<Given>& given);

/// The one size that was given, else `usual`. Throws ArgumentError for several.
Extents one_size(const Given& given, const Extents& usual);

/// The one type that was given, else `usual`. Throws ArgumentError for several.
std::string one_type(const Given& given, const std::string& usual);

}  // namespace vkmoye::bench
