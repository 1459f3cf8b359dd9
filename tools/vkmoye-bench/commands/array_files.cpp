// SPDX-License-Identifier: MIT
#include "commands/array_files.hpp"

#include <fmt/format.h>

#include <ostream>
#include <utility>

#include "io/array_order.hpp"
#include "registry/operations.hpp"
#include "report/report.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/path_text.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::bench {

ArrayFile::ArrayFile(const std::string& name) {
  const std::filesystem::path path = path_of(name);
  if (is_packed_file(path)) {
    PackedFile packed = read_packed_header(path);
    const PackedOperand& operand = packed.operand;
    array_ = {name, operand.form.type, operand.shape(), operand};
    header_ = std::move(packed);
  } else {
    NpyHeader npy = read_npy_header(path);
    array_ = {name, npy.type, npy.shape, std::nullopt, npy.fortran_order};
    header_ = std::move(npy);
  }
}

std::vector<std::byte> ArrayFile::data() const {
  if (const auto* packed = std::get_if<PackedFile>(&header_)) {
    return read_packed_data(path_of(array_.name), *packed);
  }
  const NpyHeader& npy = std::get<NpyHeader>(header_);
  std::vector<std::byte> data = read_npy_data(path_of(array_.name), npy);
  if (npy.fortran_order == array_.fortran_order) return data;
  return in_c_order(data, npy.shape, size_of(npy.type));
}

std::vector<ArrayFile> read_array_files(const std::vector<std::string>& names) {
  return {names.begin(), names.end()};
}

std::vector<GivenArray> given_arrays(const gen::KernelEntry& entry, std::vector<ArrayFile>& files) {
  const auto& takes_fortran_order = operation_of(entry).takes_fortran_order;
  std::vector<GivenArray> arrays;
  for (ArrayFile& file : files) {
    if (file.is_packed() && !entry.takes_packed) {
      throw ArgumentError(fmt::format(
          "{}: is a packed operand; only gemm/packed and gemm/packed_weights take one, {} does not",
          file.array().name, entry.name));
    }
    const bool as_it_lies = takes_fortran_order && takes_fortran_order(file.array(), arrays.size());
    if (!as_it_lies) file.put_into_c_order();
    arrays.push_back(file.array());
  }
  return arrays;
}

std::string described(const std::string& file, const std::vector<std::int64_t>& shape,
                      ScalarType type) {
  return fmt::format("{} {} {}", file, shape_text(shape), to_string(type));
}

void print_call(std::ostream& out, const std::string& kernel, const std::vector<GivenArray>& inputs,
                const std::string& results, const DeviceCaps& device, double microseconds) {
  std::vector<std::string> read;
  for (const GivenArray& input : inputs) {
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
