// SPDX-License-Identifier: MIT
// Compiles the kernels for one absent GPU and prints statistics of the code. The environment selects the driver
// and the GPU; see tools/offline-gpus.
//
//   offline_gpus driver     prints its name and version
//   offline_gpus rows NAME KNOWN.tsv PART PARTS
//                           prints a line of the table for each kernel of the part (0..PARTS-1) on stdout, with NAME in
//                           each, and "#unused LINE" for each line of KNOWN.tsv that explains nothing in this part;
//                           violations on stderr
//
// What `verify` accepts is kept in VKMOYE_VERIFIED_DIR (tests/support/keeps_accepted.cpp).
// Exit status: 0 no violations, or only known ones; 1 others; 2 wrong usage or no such GPU.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "offline_gpus/cases.hpp"
#include "offline_gpus/instructions.hpp"
#include "offline_gpus/judgement.hpp"
#include "offline_gpus/known.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/spirv/assemble.hpp"
#include "vkmoye/runtime/device.hpp"

namespace vkmoye::test {
namespace {

class Survey {
 public:
  Survey(std::string gpu, const std::string& known_file)
      : gpu_(std::move(gpu)), known_(read_known(known_file, gpu_)), device_(open()) {
    const DeviceCaps& caps = device_.caps();
    dialect_ = dialect_of(caps.driver);
    if (dialect_ == nullptr) throw std::runtime_error("cannot read what " + caps.driver + " says");
    limits_ = {dialect_->max_registers, caps.max_shared_bytes};
  }

  /// Whether there are no violations. The shim for AMD crashes when a process has allocated memory for about 500
  /// pipelines, so that a part has fewer.
  bool run(const Part& part) {
    constexpr std::size_t kMaxCases = 400;
    const DeviceCaps caps = device_.caps();
    const std::vector<Case> cases = cases_for(caps, part);
    if (cases.size() > kMaxCases) {
      throw std::runtime_error(
          fmt::format("part {} of {} has {} kernels, more than the {} of a process: more parts",
                      part.number, part.of, cases.size(), kMaxCases));
    }
    for (const Case& one : cases) survey(one, caps);
    for (const Known& row : known_) {
      if (row.findings > 0) continue;
      fmt::print("#unused {} {} {}: {}\n", row.kernel, row.types, row.variant, row.check);
    }
    return !failed_;
  }

  static Device open() {
    OpenOptions options;
    options.cache = false;
    options.statistics = true;
    return Device::open("0", options);
  }

 private:
  static std::string join_reasons(const std::vector<std::string>& reasons) {
    return reasons.empty() ? "" : reasons.front();
  }
  static std::string in_one_line(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    std::replace(text.begin(), text.end(), '\t', ' ');
    return text;
  }

  void survey(const Case& one, const DeviceCaps& caps) {
    std::string refusal = one.refusal;
    if (refusal.empty()) {
      refusal = join_reasons(reasons_against(gen::ir::interface_of(one.description), caps));
    }
    refusal.empty() ? compile(one) : print(one, "refused: " + in_one_line(refusal));
  }

  void print(const Case& one, const std::string& rest) const {
    fmt::print("{}\t{}\t{}\t{}\t{}\n", one.kernel, one.types, one.variant, gpu_, rest);
  }
  void fail(const std::string& what, const std::string& check, const std::string& why) {
    fmt::print(stderr, "{}: {}: {}: {}\n", gpu_, what, check, why);
    failed_ = true;
  }

  void compile(const Case& one) {
    try {
      const CompiledKernel kernel = {gen::ir::interface_of(one.description), one.glsl,
                                     gen::spirv::assemble(one.kernel, one.glsl)};
      const auto executables = executables_of(device_.load(kernel));
      if (executables.size() != 1) {
        throw std::runtime_error(fmt::format("{} programs instead of one", executables.size()));
      }
      report(one, compiled_of(executables.front(), *dialect_));
    } catch (const std::exception& error) {
      note(one, {"compile", in_one_line(error.what())});
    }
  }

  void report(const Case& one, const Compiled& compiled) {
    const auto number = [](const std::optional<std::int64_t>& value) {
      return value ? std::to_string(*value) : "-";
    };
    print(one, fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}", compiled.lanes, compiled.registers,
                           number(compiled.scalar_registers), compiled.spilled,
                           compiled.scratch_bytes, number(compiled.shared_bytes),
                           compiled.code_bytes, compiled.count, compiled.instructions.matrix));
    for (const Finding& finding : judge(demands_of(one.description), compiled, limits_)) {
      note(one, finding);
    }
  }

  void note(const Case& one, const Finding& finding) {
    const std::string what = fmt::format("{} {} {}", one.kernel, one.types, one.variant);
    if (const Known* known = explain(known_, one, finding.check)) {
      fmt::print(stderr, "{}: known: {}: {}: {}, because {}\n", gpu_, what, finding.check,
                 finding.text, known->reason);
    } else {
      fail(what, finding.check, finding.text);
    }
  }

  std::string gpu_;
  std::vector<Known> known_;
  Device device_;
  const Dialect* dialect_ = nullptr;
  Limits limits_;
  bool failed_ = false;
};

// 0 if it is none.
std::size_t number_of(const std::string& text) {
  std::size_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

int run(const std::vector<std::string>& arguments) {
  if (arguments.size() == 1 && arguments[0] == "driver") {
    fmt::print("{}\n", Survey::open().caps().driver);
    return 0;
  }
  if (arguments.size() == 5 && arguments[0] == "rows") {
    const Part part = {number_of(arguments[3]), number_of(arguments[4])};
    if (part.number < part.of) return Survey(arguments[1], arguments[2]).run(part) ? 0 : 1;
  }
  fmt::print(stderr, "usage: offline_gpus driver | rows NAME KNOWN.tsv PART PARTS\n");
  return 2;
}

}  // namespace
}  // namespace vkmoye::test

int main(int count, char** arguments) {
  try {
    return vkmoye::test::run({arguments + 1, arguments + count});
  } catch (const std::exception& error) {
    fmt::print(stderr, "offline_gpus: {}\n", error.what());
    return 2;
  }
}
