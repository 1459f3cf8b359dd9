// SPDX-License-Identifier: MIT
#pragma once
// Records who touches which element in a run of the host twin, and when: interval i lies between barriers i - 1 and i
// of a workgroup.
//
//   {"tile", 33, .workgroup = 0, .thread = 32, .interval = 0, .writes = true}
//   {"tile", 33, .workgroup = 0, .thread = 1, .interval = 0}                     a race, unless a barrier lies between

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vkmoye/gen/twin/launch.hpp"

namespace vkmoye::playground {

struct Touch {
  const gen::ir::Array* array;
  std::int64_t element;  // -1: it is outside
  std::uint32_t workgroup, thread, interval;
  bool writes, atomic;
  const std::string* by;             // the partition, as the author wrote it
  std::string coordinates = {};      // if it is outside: "row = 5, of 5"
  std::optional<double> value = {};  // that is written
};

/// The twin, whose accesses are recorded.
class Recorder final : public gen::machine::Environment {
 public:
  static constexpr std::size_t kMaxTouches = 1 << 17;

  /// `launch` must outlive it.
  explicit Recorder(gen::twin::Launch& launch) : launch_(launch) {}

  void start(std::uint32_t workgroup) {
    launch_.start(workgroup);
    workgroup_ = workgroup;
    interval_ = 0;
  }
  const std::vector<Touch>& touches() const { return touches_; }
  /// Whether some accesses were not recorded, since there were too many.
  bool is_full() const { return is_full_; }

  bool follows(const gen::ir::Array& array) const override { return launch_.follows(array); }
  bool needs_data() const override { return launch_.needs_data(); }
  gen::machine::Values load(gen::machine::Machine& machine,
                            const gen::machine::MemoryAccess& access) override {
    record(machine, access);
    return launch_.load(machine, access);
  }
  void store(gen::machine::Machine& machine, const gen::machine::MemoryAccess& access,
             const gen::machine::Values& values) override {
    record(machine, access, &values);
    launch_.store(machine, access, values);
  }
  gen::machine::Values combine(gen::machine::Machine& machine,
                               const gen::machine::MemoryAccess& access, gen::ir::Op op,
                               const gen::machine::Values& values) override {
    record(machine, access);
    return launch_.combine(machine, access, op, values);
  }
  void barrier(gen::machine::Machine& machine, const gen::machine::ThreadSet& active) override {
    launch_.barrier(machine, active);
    ++interval_;
  }
  void diverged(gen::machine::Machine& machine, const char* what,
                const gen::machine::ThreadSet& active) override {
    launch_.diverged(machine, what, active);
  }
  bool can_rely_on(gen::machine::Machine& machine, const gen::ir::Expr& condition,
                   const gen::machine::ThreadSet& active) override {
    return launch_.can_rely_on(machine, condition, active);
  }
  gen::machine::ThreadSet assumed(gen::machine::Machine& machine, const gen::ir::Assume& assume,
                                  const gen::machine::ThreadSet& active, bool is_sure) override {
    return launch_.assumed(machine, assume, active, is_sure);
  }
  gen::machine::Rounds enter(gen::machine::Machine& machine, const gen::ir::For& loop,
                             std::optional<std::uint32_t> known) override {
    return launch_.enter(machine, loop, known);
  }
  bool forks() const override { return launch_.forks(); }

 private:
  void record(gen::machine::Machine& machine, const gen::machine::MemoryAccess& access,
              const gen::machine::Values* stored = nullptr);

  gen::twin::Launch& launch_;
  std::uint32_t workgroup_ = 0, interval_ = 0;
  std::vector<Touch> touches_;
  bool is_full_ = false;
};

}  // namespace vkmoye::playground
