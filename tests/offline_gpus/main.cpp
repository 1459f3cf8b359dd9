// SPDX-License-Identifier: MIT
// Compiles every kernel for one absent GPU and prints statistics of the code. The environment selects the driver
// and the GPU; see tools/offline-gpus.
//
//   offline_gpus driver               prints its name and version
//   offline_gpus rows NAME KNOWN.tsv  prints a line of the table for each kernel on stdout, with NAME in each;
//                                     violations on stderr
//
// Exit status: 0 no violations, or only known ones; 1 others; 2 wrong usage or no such GPU.

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <functional>
#include <optional>
#include <span>
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
    const DeviceCaps& caps = device_->caps();
    dialect_ = dialect_of(caps.driver);
    if (dialect_ == nullptr) throw std::runtime_error("cannot read what " + caps.driver + " says");
    limits_ = {dialect_->max_registers, caps.max_shared_bytes};
  }

  /// Whether there are no violations. The shim for AMD crashes when a process has allocated memory for about 500
  /// pipelines, so that a few hundred cases have a process of their own.
  bool run() {
    constexpr std::size_t kCasesOfProcess = 256;
    const DeviceCaps caps = device_->caps();
    const std::vector<Case> cases = cases_for(caps);
    device_.reset();
    for (std::size_t first = 0; first < cases.size(); first += kCasesOfProcess) {
      const std::size_t count = std::min(kCasesOfProcess, cases.size() - first);
      in_a_process([&] {
        device_.emplace(open());
        for (const Case& one : std::span(cases).subspan(first, count)) survey(one, caps);
      });
    }
    for (const Known& row : known_) {
      if (row.findings > 0) continue;
      fail(fmt::format("{} {} {}", row.kernel, row.types, row.variant), row.check,
           "known.tsv lists it, and it is not found any more: delete the line");
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

  // Runs `body` in a child. Takes its violations and its findings of known problems from it.
  void in_a_process(const std::function<void()>& body) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("pipe failed");
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("fork failed");
    if (child == 0) {
      body();
      std::fflush(nullptr);
      std::vector<std::int64_t> found = {failed_ ? 1 : 0};
      for (const Known& row : known_) found.push_back(row.findings);
      const std::size_t bytes = found.size() * sizeof found[0];
      _exit(write(ends[1], found.data(), bytes) == static_cast<ssize_t>(bytes) ? 0 : 2);
    }
    close(ends[1]);
    std::vector<std::int64_t> found(1 + known_.size());
    const std::size_t bytes = found.size() * sizeof found[0];
    const bool is_read = read(ends[0], found.data(), bytes) == static_cast<ssize_t>(bytes);
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (!is_read || status != 0) throw std::runtime_error("a process for some cases crashed");
    failed_ = found[0] != 0;
    for (std::size_t i = 0; i < known_.size(); ++i)
      known_[i].findings = static_cast<int>(found[1 + i]);
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
      const auto executables = executables_of(device_->load(kernel));
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
  std::optional<Device> device_;
  const Dialect* dialect_ = nullptr;
  Limits limits_;
  bool failed_ = false;
};

int run(const std::vector<std::string>& arguments) {
  if (arguments.size() == 1 && arguments[0] == "driver") {
    fmt::print("{}\n", Survey::open().caps().driver);
    return 0;
  }
  if (arguments.size() == 3 && arguments[0] == "rows") {
    return Survey(arguments[1], arguments[2]).run() ? 0 : 1;
  }
  fmt::print(stderr, "usage: offline_gpus driver | rows NAME KNOWN.tsv\n");
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
