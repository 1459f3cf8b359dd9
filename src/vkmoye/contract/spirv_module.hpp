// SPDX-License-Identifier: MIT
#pragma once
// The declarations of a SPIR-V module that can be compared with an interface. Any sequence of words can be read: ids
// that are not declared are ignored.
//
//   OpCapability Float16                              capabilities {9}
//   OpEntryPoint GLCompute %main "main"               has_main
//   OpExecutionMode %main LocalSize 256 1 1           workgroup_size {256, 1, 1}
//   buffer Src { float src[]; } at binding 0          buffers {{.binding = 0, .stride = 4}}
//   push_constant Arguments { uint cols, rows; }      push_constants {{"cols", u32, 0}, {"rows", u32, 4}}
//   layout(constant_id = 0) const uint cols = 1;      specialised {{"cols", u32, 0}}
//   shared float tile[1055]                           shared_bytes 4220

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/contract/scalar_type.hpp"

namespace vkmoye {

struct SpirvModule {
  /// A view of a storage buffer: several may share a binding.
  struct Buffer {
    std::uint32_t binding = 0, set = 0;
    std::uint32_t stride = 0;  // bytes from one element to the next; 0: not declared
    bool is_read = true, is_written = true;
  };
  struct Constant {
    std::string name;                // empty: it was stripped
    std::optional<ScalarType> type;  // none: it is not a number
    std::uint32_t offset = 0;        // bytes
  };
  /// A specialisation constant.
  struct Specialised {
    std::string name;                // empty: it was stripped
    std::optional<ScalarType> type;  // none: it is not a number
    std::uint32_t id = 0;            // its constant_id
  };

  std::vector<std::uint32_t> capabilities;
  bool has_main = false;  // a compute shader of that name
  std::optional<std::array<std::uint32_t, 3>> workgroup_size;
  std::vector<Buffer> buffers;
  std::vector<Constant> push_constants;
  std::vector<Specialised> specialised;
  std::uint64_t shared_bytes = 0;
  std::vector<MatrixShape> products;  // that matrix units compute, each once
};

/// Throws ArgumentError if `words` are not SPIR-V, are cut off, or end inside a function.
SpirvModule read_spirv(const std::vector<std::uint32_t>& words);

}  // namespace vkmoye
