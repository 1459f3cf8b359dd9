// SPDX-License-Identifier: MIT
#pragma once
// The registers of the workgroup that runs on the host: a value for each element and invocation, and which invocations
// have written it.
//
//   float sum[4];         four elements; in a workgroup of 64 threads each has 64 values
//   sum[i] = ..           i is a number in every invocation once loops are unrolled

#include <map>
#include <set>
#include <string>
#include <vector>

#include "vkmoye/gen/machine/machine.hpp"
#include "vkmoye/gen/machine/shadow_memory.hpp"
#include "vkmoye/gen/machine/shared_copy.hpp"

namespace vkmoye::gen::twin {

class Registers {
 public:
  /// `has_data`: whether values are kept, or only which elements are written. `written`: the arrays that count as
  /// written from the start. `reasons` and `written` outlive this and its copies.
  Registers(const ir::Kernel& kernel, bool has_data, const std::set<std::string>& written,
            machine::ReasonsByKind& reasons);

  /// Resets all elements to their state at the start of a workgroup.
  void start();
  /// The values that the active invocations read. Adds a reason if one of them has not written the element.
  machine::Values load(machine::Machine& m, const machine::MemoryAccess& access);
  /// Stores `values` in the active invocations. Adds a reason if the index is outside the array or not known.
  void store(machine::Machine& m, const machine::MemoryAccess& access,
             const machine::Values& values);
  /// Joins two paths, either of which may have been taken: an element is written if both paths have written it.
  void join(const Registers& other);

 private:
  // Elements that are always accessed at once, see ir::Array::vector.
  struct Vector {
    machine::Values value;
    machine::ThreadSet written;
  };

  std::uint32_t threads_;
  bool has_data_;
  const std::set<std::string>* written_;
  machine::ReasonsByKind* reasons_;
  using Vectors = std::vector<Vector>;
  std::map<std::string, machine::SharedCopy<Vectors>> arrays_;
};

}  // namespace vkmoye::gen::twin
