// SPDX-License-Identifier: MIT
#pragma once
// The user's array files, and the line that is printed after a kernel ran on them.

#include <filesystem>
#include <iosfwd>
#include <string>
#include <variant>
#include <vector>

#include "devices/execution.hpp"
#include "io/npy.hpp"
#include "registry/operations.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"
#include "workloads/packed_file.hpp"

namespace vkmoye::bench {

/// A file with an array, or with an operand in fragment order; or an array of a safetensors file.
class ArrayFile {
 public:
  /// Reads the header. Throws ArgumentError like read_npy_header, read_packed_header and read_safetensors_header.
  explicit ArrayFile(const std::string& name);

  bool is_packed() const { return std::holds_alternative<PackedFile>(header_); }
  bool is_boolean() const;  // elements of u8 that are 0 or 1
  const gen::GivenArray& array() const { return array_; }
  /// From now on the array is in C order: `data` converts it.
  void put_into_c_order() { array_.fortran_order = false; }
  /// If the file contains bytes without a type, they become e5m2 or e4m3, whichever `type`, a value of --type, names as
  /// the type of operand `place`, or else anywhere. If it names neither, they are e4m3.
  void take_type(const std::string& type, std::size_t place);
  std::vector<std::byte> data() const;

 private:
  std::filesystem::path path_;
  std::variant<ArrayHeader, PackedFile> header_;
  gen::GivenArray array_;
};

std::vector<ArrayFile> read_array_files(const std::vector<std::string>& names);

/// Throws ArgumentError if one of the files `out` is a safetensors file with an array of `in`, whose other arrays would
/// be lost.
void keep_checkpoints(const std::vector<std::string>& in, const std::vector<std::string>& out);

/// The arrays of `files` for the kernel of `entry`; the first is operand `first`. See ArrayFile::take_type for `type`.
/// Arrays in Fortran order are converted to C order unless the kernel takes them as they are. Throws ArgumentError for
/// a packed operand that the kernel does not take.
std::vector<gen::GivenArray> given_arrays(const gen::KernelEntry& entry,
                                          std::vector<ArrayFile>& files, const std::string& type,
                                          std::size_t first = 0);

/// Whether the elements of the result of `entry` are elements of its first array, moved or converted.
bool only_moves(const gen::KernelEntry& entry);

/// Throws ArgumentError if one of `files` contains booleans: `what` computes with numbers.
void refuse_booleans(const std::string& what, const std::vector<ArrayFile>& files);

/// "f.npy (2, 3) f32".
std::string described(const std::string& file, const std::vector<std::int64_t>& shape,
                      ScalarType type);

/// One line about a call whose results are described as `results`:
///
///   transpose/auto: a.npy (2, 3) f32 -> b.npy (3, 2) f32 on NVIDIA H200, 1.2 ms
void print_call(std::ostream& out, const std::string& kernel,
                const std::vector<gen::GivenArray>& inputs, const std::string& results,
                const DeviceCaps& device, double microseconds);

/// The name of the entry and, if it chooses a kernel, that of the chosen one.
std::string kernel_text(const gen::KernelEntry& entry, const RunPlan& plan);

}  // namespace vkmoye::bench
