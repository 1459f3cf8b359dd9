// SPDX-License-Identifier: MIT
#pragma once
// The user's arrays: files that kernels are applied to, and what is said when it is done.

#include <string>
#include <variant>
#include <vector>

#include "io/npy.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"
#include "workloads/operation.hpp"
#include "workloads/products/packed_file.hpp"

namespace vkmoye::bench {

/// An array, or an operand in fragment order.
class ArrayFile {
 public:
  /// Reads the header. Throws ArgumentError as read_npy_header, read_packed_header.
  explicit ArrayFile(const std::string& name);

  bool is_packed() const { return std::holds_alternative<PackedFile>(header_); }
  const GivenArray& array() const { return array_; }
  /// From now on it is as if it lay in C's order: `data` sees to that.
  void put_into_c_order() { array_.fortran_order = false; }
  std::vector<std::byte> data() const;

 private:
  std::variant<NpyHeader, PackedFile> header_;
  GivenArray array_;
};

std::vector<ArrayFile> read_array_files(const std::vector<std::string>& names);

/// What the kernel of `entry` is given of them, those that it does not take as they lie put into C's
/// order. Throws ArgumentError for a packed operand where it takes none.
std::vector<GivenArray> given_arrays(const gen::KernelEntry& entry, std::vector<ArrayFile>& files);

/// "f.npy (2, 3) f32".
std::string described(const std::string& file, const std::vector<std::int64_t>& shape,
                      ScalarType type);

/// One line on stdout, or on stderr where the result goes to stdout:
///
///   transpose/auto: a.npy (2, 3) f32 -> b.npy (3, 2) f32 on NVIDIA H200, 1.2 ms
void say_what_was_done(const std::string& kernel, const std::vector<GivenArray>& inputs,
                       const std::string& result, const OutputFile& out, const DeviceCaps& device,
                       double microseconds);

/// The entry's name and, of one that chooses, the kernel that it chose.
std::string kernel_text(const gen::KernelEntry& entry, const Plan& plan);

}  // namespace vkmoye::bench
