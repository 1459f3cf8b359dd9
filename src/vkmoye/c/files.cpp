// SPDX-License-Identifier: MIT
// The functions of vkmoye.h on files.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "vkmoye/base/path_text.hpp"
#include "vkmoye/base/text_file.hpp"
#include "vkmoye/c/arguments.hpp"
#include "vkmoye/c/objects.hpp"
#include "vkmoye/c/parameters.hpp"
#include "vkmoye/c/status.hpp"
#include "vkmoye/contract/argument_names.hpp"
#include "vkmoye/contract/compiled_file.hpp"

namespace vkmoye::c {
namespace {

std::unique_ptr<vkmoye_file> parse(std::string_view text) {
  return std::make_unique<vkmoye_file>(parse_variants(text));
}

void require_array(const vkmoye_file& file, std::uint32_t number, const char* function) {
  if (number < file.array_count()) return;
  throw ArgumentError(fmt::format("{}: {} has {} arrays, so none has number {}", function,
                                  file.name(), file.array_count(), number));
}

}  // namespace
}  // namespace vkmoye::c

using namespace vkmoye::c;

vkmoye_file::vkmoye_file(std::vector<vkmoye::CompiledFile> of) : variants(std::move(of)) {
  if (kernel()) arguments = argument_names(kernel()->interface);
}

extern "C" {

vkmoye_status vkmoye_read_file(const char* path, vkmoye_file** out) {
  return guarded([&] {
    require(path, "vkmoye_read_file", "path");
    require(out, "vkmoye_read_file", "out");
    *out = vkmoye::parse_text_file(vkmoye::path_of(path), parse).release();
  });
}

vkmoye_status vkmoye_parse_file(const char* text, size_t bytes, vkmoye_file** out) {
  return guarded([&] {
    require(text, "vkmoye_parse_file", "text");
    require(out, "vkmoye_parse_file", "out");
    *out = parse({text, bytes}).release();
  });
}

void vkmoye_free_file(vkmoye_file* file) { delete file; }

const char* vkmoye_file_name(const vkmoye_file* file) {
  return file == nullptr ? "" : file->name().c_str();
}

uint32_t vkmoye_array_count(const vkmoye_file* file) {
  return file == nullptr ? 0 : static_cast<uint32_t>(file->array_count());
}

const char* vkmoye_array_name(const vkmoye_file* file, uint32_t number) {
  return number < vkmoye_array_count(file) ? file->array_name(number).c_str() : nullptr;
}

const char* vkmoye_array_type(const vkmoye_file* file, uint32_t number) {
  const char* type = nullptr;
  if (number >= vkmoye_array_count(file)) return type;
  file->for_each_use(number, [&](const vkmoye::Binding& binding, const auto*) {
    if (type == nullptr) type = to_string(binding.type).data();
  });
  return type;
}

uint32_t vkmoye_array_access(const vkmoye_file* file, uint32_t number) {
  uint32_t access = 0;
  if (number >= vkmoye_array_count(file)) return access;
  file->for_each_use(number, [&](const vkmoye::Binding& binding, const auto*) {
    // What an earlier step writes, a later one may read: for the caller, it is written.
    const bool is_read = binding.access != vkmoye::Access::write && access != VKMOYE_WRITE;
    if (is_read) access |= VKMOYE_READ;
    if (binding.access != vkmoye::Access::read) access |= VKMOYE_WRITE;
  });
  return access;
}

uint32_t vkmoye_argument_count(const vkmoye_file* file) {
  return file == nullptr ? 0 : static_cast<uint32_t>(file->arguments.size());
}

const char* vkmoye_argument_name(const vkmoye_file* file, uint32_t number) {
  return number < vkmoye_argument_count(file) ? file->arguments[number].c_str() : nullptr;
}

uint32_t vkmoye_specialised_count(const vkmoye_file* file) {
  return file == nullptr || !file->kernel()
             ? 0
             : static_cast<uint32_t>(file->kernel()->interface.specialised.size());
}

const char* vkmoye_specialised_name(const vkmoye_file* file, uint32_t number) {
  return number < vkmoye_specialised_count(file)
             ? file->kernel()->interface.specialised[number].name.c_str()
             : nullptr;
}

vkmoye_status vkmoye_array_bytes(const vkmoye_file* file, uint32_t number,
                                 const vkmoye_argument* arguments, uint32_t argument_count,
                                 uint64_t* out) {
  return guarded([&] {
    constexpr const char* kName = "vkmoye_array_bytes";
    require(file, kName, "file");
    require(out, kName, "out");
    require_array(*file, number, kName);
    const vkmoye::Arguments all = complete_arguments(*file, {arguments, argument_count, kName});
    if (file->plan()) {
      *out = file->plan()->arrays[number].bytes;
    } else {
      const vkmoye::Binding& binding = file->kernel()->interface.bindings[number];
      *out = element_count(binding, all) * vkmoye::size_of(binding.type);
    }
  });
}

vkmoye_status vkmoye_array_extents(const vkmoye_file* file, uint32_t number,
                                   const vkmoye_argument* arguments, uint32_t argument_count,
                                   uint64_t* extents, uint32_t capacity, uint32_t* rank) {
  return guarded([&] {
    constexpr const char* kName = "vkmoye_array_extents";
    require(file, kName, "file");
    require(rank, kName, "rank");
    require_elements(extents, capacity, kName, "extents");
    require_array(*file, number, kName);
    const vkmoye::Arguments all = complete_arguments(*file, {arguments, argument_count, kName});
    std::vector<std::uint64_t> found;
    file->for_each_use(number, [&](const vkmoye::Binding& binding, const auto* of_step) {
      if (found.empty()) found = extents_in(binding, of_step == nullptr ? all : *of_step);
    });
    std::reverse(found.begin(), found.end());
    *rank = static_cast<uint32_t>(found.size());
    std::copy_n(found.begin(), std::min<std::size_t>(found.size(), capacity), extents);
  });
}

}  // extern "C"
