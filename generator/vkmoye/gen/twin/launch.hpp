// SPDX-License-Identifier: MIT
#pragma once
// The memory of a launch on the host: buffers, and the shared arrays and registers of the workgroup that runs. A
// ShadowMemory for each of them records the accesses, to report races and reads of unwritten elements.
//
// assumptions.cpp checks what the kernel assumes.

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "vkmoye/gen/machine/machine.hpp"
#include "vkmoye/gen/machine/shadow_memory.hpp"
#include "vkmoye/gen/twin/registers.hpp"

namespace vkmoye::gen::twin {

/// A buffer or a shared array.
struct Memory {
  const ir::Array* array;
  std::uint64_t elements;
  std::vector<std::uint64_t> extents, strides;  // along its axes, in elements
  machine::ShadowMemory shadow;
  std::span<std::byte> bytes = {};  // empty without data
  std::vector<std::byte> own = {};  // the storage of a shared array
};

/// "n = 5, x = 7": the values of the variables of `e` in an invocation, as far as they are known.
std::string values_text(const ir::Expr& e, machine::Evaluator& values, std::size_t thread);

/// Defines the arguments of a launch in `values`. Missing ones stay unknown, except that `first_group_*` are 0.
void define(const ir::Kernel& kernel, const Arguments& arguments, machine::Evaluator& values);

class Launch final : public machine::Environment {
 public:
  /// `buffers`: the bytes of each binding; empty for a launch without data. `written`: arrays of shared memory and
  /// registers that count as written from the start. `kernel`, the bytes, `written` and `reasons` must outlive the
  /// launch. Throws ArgumentError if a buffer does not have the size that the launch needs.
  Launch(const ir::Kernel& kernel, const std::vector<std::span<std::byte>>& buffers,
         const Arguments& arguments, const std::set<std::string>& written,
         machine::ReasonsByKind& reasons);

  /// Resets shared arrays and registers for the workgroup of that number in the launch.
  void start(std::uint64_t number);
  /// All workgroups have waited for each other.
  void grid_barrier();
  /// Adds a reason for each result with an element that was not written.
  void check_results();
  /// Whether a loop whose end depends on data was followed for some rounds only.
  bool is_cut_short() const { return is_cut_short_; }
  /// Whether a condition or the end of a loop depended on data that the launch does not have.
  bool depends_on_data() const { return depends_on_data_; }

  bool follows(const ir::Array&) const override { return true; }
  bool needs_data() const override { return has_data_; }
  machine::Values load(machine::Machine& m, const machine::MemoryAccess& access) override;
  void store(machine::Machine& m, const machine::MemoryAccess& access,
             const machine::Values& values) override;
  machine::Values combine(machine::Machine& m, const machine::MemoryAccess& access, ir::Op op,
                          const machine::Values& values) override;
  void barrier(machine::Machine& m, const machine::ThreadSet& active) override;
  machine::ThreadSet assumed(machine::Machine& m, const ir::Assume& assume,
                             const machine::ThreadSet& active, bool is_sure) override;
  void diverged(machine::Machine& m, const char* what, const machine::ThreadSet& active) override;
  bool can_rely_on(machine::Machine& m, const ir::Expr& condition,
                   const machine::ThreadSet& active) override;
  machine::Rounds enter(machine::Machine& m, const ir::For& loop,
                        std::optional<std::uint32_t> known) override;
  bool forks() const override { return !has_data_; }
  std::any save() override;
  void restore(const std::any& saved) override;
  void join(const std::any& saved) override;

 private:
  struct State {
    std::map<std::string, machine::ShadowMemory> shadows;
    Registers registers;
  };

  // Whether `access` reads shared memory at an unknown index. If so, records a read of every element that it may be.
  bool reads_anything(machine::Machine& machine, const machine::MemoryAccess& access,
                      Memory& memory);
  // Of the axes that an element has coordinates along.
  struct Along {
    std::span<const std::uint64_t> extents, strides;
    std::vector<std::uint64_t> own = {};  // both, of axes that are not those of the array
  };
  static Along along(const ir::Element& element, const Memory& memory);
  // Records `access`, and calls visit(memory, thread, address) for each active thread whose access is valid. Adds
  // reasons against the others.
  template <class Visit>
  void at_addresses(machine::Machine& m, const machine::MemoryAccess& access, Visit visit);
  // Records an access to an element that only data determine, where there are none.
  void access_somewhere(machine::Machine& m, const machine::MemoryAccess& access, Memory& memory,
                        std::size_t thread);
  std::int64_t invocation_of(const machine::MemoryAccess& access, const Memory& memory,
                             std::size_t thread) const;
  void record(const machine::MemoryAccess& access, Memory& memory, std::size_t thread,
              std::uint64_t address);
  void require_defined(const machine::MemoryAccess& access, const machine::Values& values);

  const ir::Kernel& kernel_;
  machine::ReasonsByKind& reasons_;
  bool has_data_;
  bool is_cut_short_ = false;
  bool depends_on_data_ = false;
  std::int64_t first_invocation_ = 0;
  std::map<std::string, Memory> memories_;
  Registers registers_;
  std::set<std::string> scattered_;  // arrays that are written where only data say, without data
};

/// Throws BrokenAssumption if the launch breaks an assumption about its arguments, with their values.
void require_assumptions(const ir::Kernel& kernel, const Arguments& arguments);

}  // namespace vkmoye::gen::twin
