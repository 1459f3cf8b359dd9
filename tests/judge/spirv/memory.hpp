// SPDX-License-Identifier: MIT
#pragma once
// The shared arrays of a workgroup and the buffers of a launch: their values, and the faults of each access.
//
// Shared memory is a sequence of scalars. A buffer is bytes, in cells of its smallest scalar: src, src_x4 and src_words
// may be names of the same memory. barrier() orders shared memory; only a barrier of all workgroups orders accesses to
// buffers.

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "judge/spirv/program.hpp"
#include "judge/spirv/record.hpp"

namespace vkmoye::judge::spirv {

/// The faults, without duplicates for each memory.
class Faults {
 public:
  enum class Kind : std::uint8_t {
    race,       // of two invocations
    range,      // outside an array or a buffer
    alignment,  // not aligned as the pointer requires
    undefined,  // an undefined value is stored, or decides a branch or an address
    barrier,    // not all invocations reach it
    subgroup,   // not all lanes reach the operation, or its lane number differs between them
    uncovered,  // an element of a result is not written
    other,
  };
  struct Fault {
    Kind kind;
    std::string text;
  };

  void add(Kind kind, const std::string& memory, std::string text);
  const std::vector<Fault>& list() const { return list_; }

 private:
  std::set<std::pair<Kind, std::string>> seen_;
  std::vector<Fault> list_;
};

std::string_view to_string(Faults::Kind kind);

/// An access: the invocation, its name in messages, and the position in the module.
struct Who {
  std::uint32_t invocation;  // of the launch
  std::uint32_t thread;      // of its workgroup
  std::uint32_t group;
  std::uint32_t word;
};
std::string to_string(const Who& who);

class Shared {
 public:
  Shared(const Program& program, Faults& faults);

  /// The scalars of `type`, starting at slot `at`; those that cannot be read are undefined.
  void load(const Who& who, const Type& type, std::uint64_t at, std::span<Scalar> out, Touch touch);
  void store(const Who& who, const Type& type, std::uint64_t at, std::span<const Scalar> values,
             Touch touch);
  void order() { record_.order(); }
  /// A new workgroup: nothing is written.
  void clear();

 private:
  std::string name_of(std::uint64_t slot) const;

  const Program& program_;
  Faults& faults_;
  std::vector<Scalar> values_;
  Record record_;
};

/// A binding, and how the kernel may use it.
struct Buffer {
  std::string name;
  std::span<std::byte> bytes;
  bool is_defined;  // before the launch
  bool is_written;  // by the launch
  std::uint32_t granule;
};

class BufferMemory {
 public:
  BufferMemory(const std::vector<Buffer>& buffers, Faults& faults);

  /// The same at address `at`, see address_of_binding.
  void load(const Who& who, const Type& type, std::uint64_t at, std::uint32_t alignment,
            std::span<Scalar> out, Touch touch);
  void store(const Who& who, const Type& type, std::uint64_t at, std::uint32_t alignment,
             std::span<const Scalar> values, Touch touch);
  /// All workgroups waited for each other.
  void order() {
    for (Watched& memory : memories_) memory.record.order();
  }
  /// Whether `count` bytes of buffer `binding`, starting at byte `at`, were written or defined before.
  bool is_defined(std::size_t binding, std::uint64_t at, std::uint64_t count) const;

 private:
  struct Watched {
    Buffer buffer;
    Record record;
    std::vector<bool> defined;  // cells
  };
  Watched* find(const Who& who, const Type& type, std::uint64_t at, std::uint32_t alignment);
  void touch(const Who& who, Watched& memory, std::uint64_t first, std::uint64_t bytes,
             Touch touch);

  Faults& faults_;
  std::vector<Watched> memories_;
};

}  // namespace vkmoye::judge::spirv
