// SPDX-License-Identifier: MIT
#include "commands/array_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <ostream>
#include <utility>

#include "io/safetensors.hpp"
#include "registry/operations.hpp"
#include "report/report.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/path_text.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::bench {
namespace {

// Converts an array of `shape`, with elements of `width` bytes, from Fortran order to C order. The memory of an array
// in Fortran order is that of the transposed array in C order:
//
//   (2,3) in Fortran order      a00 a10 a01 a11 a02 a12    =    (3,2) in C order
std::vector<std::byte> in_c_order(std::span<const std::byte> data,
                                  const std::vector<std::int64_t>& shape, std::size_t width) {
  std::vector<std::byte> out(data.size());
  std::vector<std::int64_t> index(shape.size(), 0);
  std::vector<std::size_t> stride(shape.size());
  std::size_t next = width;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    stride[axis] = next;
    next *= static_cast<std::size_t>(shape[axis]);
  }
  std::size_t from = 0;
  for (std::size_t to = 0; to < data.size(); to += width) {
    std::memcpy(&out[to], &data[from], width);
    for (std::size_t axis = shape.size(); axis-- > 0;) {  // the last axis varies fastest
      from += stride[axis];
      if (++index[axis] < shape[axis]) break;
      from -= stride[axis] * static_cast<std::size_t>(shape[axis]);
      index[axis] = 0;
    }
  }
  return out;
}

}  // namespace

ArrayFile::ArrayFile(const std::string& name) : path_(path_of(name)) {
  const auto tensor = tensor_name(name);
  if (!tensor && is_packed_file(path_)) {
    PackedFile packed = read_packed_header(path_);
    const gen::PackedOperand& operand = packed.operand;
    array_ = {name, operand.form.type, operand.shape(), operand};
    header_ = std::move(packed);
  } else {
    if (tensor) path_ = tensor->file;
    ArrayHeader array = tensor ? read_safetensors_header(*tensor) : read_npy_header(path_);
    array_ = {name, array.type, array.shape, std::nullopt, array.fortran_order};
    header_ = std::move(array);
  }
}

bool ArrayFile::is_boolean() const {
  const auto* npy = std::get_if<ArrayHeader>(&header_);
  return npy != nullptr && npy->is_boolean;
}

std::vector<std::byte> ArrayFile::data() const {
  if (const auto* packed = std::get_if<PackedFile>(&header_)) {
    return read_packed_data(path_, *packed);
  }
  const ArrayHeader& npy = std::get<ArrayHeader>(header_);
  std::vector<std::byte> data = read_array_data(path_, npy);
  if (npy.fortran_order == array_.fortran_order) return data;
  return in_c_order(data, npy.shape, size_of(npy.type));
}

void ArrayFile::take_type(const std::string& type, std::size_t place) {
  const auto* npy = std::get_if<ArrayHeader>(&header_);
  if (npy == nullptr || !npy->is_any_float8) return;
  std::vector<std::string> names = split(type.substr(0, type.find(',')), '*');
  std::swap(names.front(), names[std::min(place, names.size() - 1)]);
  for (const std::string& part : split(type, ',')) {
    for (std::string& name : split(part, '*')) names.push_back(std::move(name));
  }
  for (const std::string& name : names) {
    const auto named = parse_scalar_type(name);
    if (named != ScalarType::e4m3 && named != ScalarType::e5m2) continue;
    array_.type = *named;
    return;
  }
}

std::vector<ArrayFile> read_array_files(const std::vector<std::string>& names) {
  return {names.begin(), names.end()};
}

void keep_checkpoints(const std::vector<std::string>& in, const std::vector<std::string>& out) {
  for (const std::string& name : in) {
    const auto tensor = tensor_name(name);
    for (const std::string& file : out) {
      std::error_code unknown;
      if (tensor && std::filesystem::equivalent(tensor->file, path_of(file), unknown)) {
        throw ArgumentError(file + ": has an array of --in; the others would be lost");
      }
    }
  }
}

std::vector<gen::GivenArray> given_arrays(const gen::KernelEntry& entry,
                                          std::vector<ArrayFile>& files, const std::string& type,
                                          std::size_t first) {
  const auto& takes_fortran_order = operation_of(entry).takes_fortran_order;
  std::vector<gen::GivenArray> arrays;
  for (ArrayFile& file : files) {
    if (file.is_packed() && !entry.takes_packed) {
      throw ArgumentError(fmt::format(
          "{}: is a packed operand; only gemm/packed and gemm/packed_weights take one, {} does not",
          file.array().name, entry.name));
    }
    const bool as_it_lies = takes_fortran_order && takes_fortran_order(file.array(), arrays.size());
    if (!as_it_lies) file.put_into_c_order();
    file.take_type(type, first + arrays.size());
    arrays.push_back(file.array());
  }
  return arrays;
}

bool only_moves(const gen::KernelEntry& entry) {
  const char* const moves[] = {"copy", "transpose", "relayout", "embed"};
  return std::find(std::begin(moves), std::end(moves), entry.operation) != std::end(moves);
}

void refuse_booleans(const std::string& what, const std::vector<ArrayFile>& files) {
  for (const ArrayFile& file : files) {
    if (!file.is_boolean()) continue;
    throw ArgumentError(
        fmt::format("{}: {} has booleans, which are only moved and converted; a.astype('u1') makes "
                    "them numbers",
                    what, file.array().name));
  }
}

std::string described(const std::string& file, const std::vector<std::int64_t>& shape,
                      ScalarType type) {
  return fmt::format("{} {} {}", file, shape_text(shape), to_string(type));
}

void print_call(std::ostream& out, const std::string& kernel,
                const std::vector<gen::GivenArray>& inputs, const std::string& results,
                const DeviceCaps& device, double microseconds) {
  std::vector<std::string> read;
  for (const gen::GivenArray& input : inputs) {
    read.push_back(described(input.name, input.shape, input.type));
  }
  out << fmt::format("{}: {} -> {} on {}, {}\n", kernel, join(read, ", "), results,
                     device.name.substr(0, device.name.find(" (")), format_time(microseconds));
}

std::string kernel_text(const gen::KernelEntry& entry, const RunPlan& plan) {
  for (const auto& [name, value] : plan.chosen) {
    if (name == "kernel") return fmt::format("{} ({})", entry.name, value);
  }
  return entry.name;
}

}  // namespace vkmoye::bench
