// SPDX-License-Identifier: MIT
#pragma once
// The memory of one launch on the host: buffers, the shared arrays and the registers of the workgroup
// that runs, each with a ledger of who touched it.

#include <map>
#include <span>
#include <string>
#include <vector>

#include "vkmoye/gen/machine/ledger.hpp"
#include "vkmoye/gen/machine/machine.hpp"

namespace vkmoye::gen::twin {

/// An array in buffers or in shared memory.
struct Memory {
  const ir::Array* array;
  std::uint64_t elements;
  std::vector<std::uint64_t> extents, strides;  // of its axes, elements
  machine::Ledger ledger;
  std::span<std::byte> bytes = {};  // empty without data
  std::vector<std::byte> own = {};  // of a shared array
};

/// An element of an array that each invocation has for itself.
struct Register {
  machine::Values value;
  machine::Lanes written;
};

/// Gives the arguments of a launch to `values`; those that are not there stay unknown, but
/// `first_group_*`, which are 0.
void define(const ir::Kernel& kernel, const Arguments& arguments, machine::Evaluator& values);

class Launch final : public machine::Guest {
 public:
  /// `buffers`: empty for a launch without data. All outlive the launch.
  Launch(const ir::Kernel& kernel, const std::vector<std::span<std::byte>>& buffers,
         const Arguments& arguments, machine::Reasons& reasons);

  /// Whatever belongs to a workgroup, as at its start. `number`: of the workgroup in the launch.
  /// `follow_registers`: else what happens in registers alone is passed over, without data.
  void start(std::uint64_t number, bool follow_registers);
  /// Adds a reason for each result of which an element was not written.
  void check_results();

  bool concerns(const ir::Array& array) const override {
    return follows_registers_ || array.space != ir::Array::Space::registers;
  }
  bool needs_data() const override { return has_data_; }
  machine::Values load(machine::Machine& m, const machine::MemoryAccess& access) override;
  void store(machine::Machine& m, const machine::MemoryAccess& access,
             const machine::Values& values) override;
  machine::Values combine(machine::Machine& m, const machine::MemoryAccess& access, ir::Op op,
                          const machine::Values& values) override;
  void barrier(machine::Machine& m, const machine::Lanes& active) override;
  void diverged(machine::Machine& m, const char* what, const machine::Lanes& active) override;
  bool can_rely_on(machine::Machine& m, const ir::Expr& condition) override;
  machine::Rounds enter(machine::Machine& m, const ir::For& loop,
                        std::optional<std::uint32_t> known) override;
  bool forks() const override { return !has_data_; }
  std::any save() override;
  void restore(const std::any& saved) override;
  void join(const std::any& saved) override;

 private:
  struct State {
    std::map<std::string, machine::Ledger> ledgers;
    std::map<std::string, std::vector<Register>> registers;
  };

  // Calls visit(thread, address) for each active thread whose access is right.
  template <class Visit>
  void at_addresses(machine::Machine& m, const machine::MemoryAccess& access, Visit visit);
  void touch(const machine::MemoryAccess& access, Memory& memory, std::size_t thread,
             std::uint64_t address);
  machine::Values load_registers(machine::Machine& m, const machine::MemoryAccess& access);
  void store_registers(machine::Machine& m, const machine::MemoryAccess& access,
                       const machine::Values& values);
  void require_defined(const machine::MemoryAccess& access, const machine::Values& values);

  const ir::Kernel& kernel_;
  machine::Reasons& reasons_;
  bool has_data_;
  bool follows_registers_ = true;
  std::int64_t first_invocation_ = 0;
  std::map<std::string, Memory> memories_;
  std::map<std::string, std::vector<Register>> registers_;
};

}  // namespace vkmoye::gen::twin
