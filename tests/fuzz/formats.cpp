// SPDX-License-Identifier: MIT
#include "fuzz/formats.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "io/kept_file.hpp"
#include "io/npy.hpp"
#include "io/safetensors.hpp"
#include "report/comparison.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/contract/checked_file.hpp"
#include "vkmoye/contract/compiled_file.hpp"
#include "vkmoye/contract/kernel_file.hpp"
#include "vkmoye/contract/plan_file.hpp"
#include "vkmoye/layout/text.hpp"
#include "vkmoye/runtime/vk/cache_file.hpp"
#include "workloads/packed_file.hpp"
#include "workloads/tuned_table.hpp"

namespace vkmoye::fuzz {
namespace {

// A file in memory, for readers that take a path.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : file_(memfd_create("fuzz", 0)) {
    std::size_t written = 0;
    while (written < bytes.size()) {
      const ssize_t count = ::write(file_, bytes.data() + written, bytes.size() - written);
      if (count <= 0) throw std::runtime_error("a file in memory could not be written");
      written += static_cast<std::size_t>(count);
    }
  }
  ~MemoryFile() { ::close(file_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
};

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

template <class T>
void put(std::string& bytes, std::size_t at, const T& value) {
  std::memcpy(&bytes[at], &value, sizeof value);
}

// `text` with the correct checksum of its content; unchanged if it has no checksum.
std::string with_checksum(const FileKind& kind, std::string_view text) {
  try {
    const Json file = parse_json(text);
    const Json* content = find(file, kind.what);
    if (content != nullptr) return checked_text(kind, *content);
  } catch (const ArgumentError&) {
  }
  return std::string(text);
}

// Parses the input, prints the result and parses that again: both must be equal.
template <class Parse, class Print>
bool is_read_back(const FileKind& kind, std::string_view input, Parse parse, Print print) {
  try {
    const std::string text = print(parse(with_checksum(kind, input)));
    require(print(parse(text)) == text, "what is printed is read back");
    return true;
  } catch (const ArgumentError&) {
    return false;
  }
}

}  // namespace

bool accepts_kernel(std::string_view input) {
  return is_read_back({"kernel", kKernelFileVersion}, input, parse_kernel, kernel_text);
}

bool accepts_plan(std::string_view input) {
  return is_read_back({"plan", kPlanFileVersion}, input, parse_plan, plan_text);
}

bool accepts_variants(std::string_view input) {
  return is_read_back({"variants", 1}, input, parse_variants, variants_text);
}

bool accepts_cache(std::string_view input) {
  vk::DriverIdentity driver;
  driver.vendor = 0x10de;
  std::string file(input);
  // The header is of the length of an empty cache; its last 8 bytes are the checksum.
  const std::size_t header = vk::encode_cache(driver, {}).size(), sum = header - 8;
  if (file.size() >= header) {
    put(file, sum,
        XXH3_64bits_withSeed(file.data() + header, file.size() - header,
                             XXH3_64bits(file.data(), sum)));
  }
  const vk::DecodedCache read = vk::decode_cache(driver, bytes_of(file));
  if (!read.refusal.empty()) return false;
  const auto again = vk::encode_cache(driver, read.payload);
  require(again.size() == file.size() && std::memcmp(again.data(), file.data(), file.size()) == 0,
          "a cache that is accepted is as it was written");
  return true;
}

bool accepts_packed(std::string_view input) {
  std::string file(input);
  constexpr std::size_t kLength = 12, kSum = 16, kHeader = 24;
  std::uint32_t bytes = 0;
  if (file.size() >= kHeader) {
    std::memcpy(&bytes, &file[kLength], sizeof bytes);
    const std::string_view header =
        std::string_view(file).substr(kHeader, std::min<std::size_t>(bytes, file.size()));
    const std::string_view before = std::string_view(file).substr(0, kSum);
    put(file, kSum, bench::checksum(bytes_of(header), bench::checksum(bytes_of(before))));
  }
  const MemoryFile memory(file);
  try {
    const bench::PackedFile read = bench::read_packed_header(memory.path());
    require(read.data_at + read.operand.bytes() == file.size(), "the blocks fill the file");
    try {
      parse_layout(read.operand.fragment);
    } catch (const LayoutError&) {
    }
    bench::read_packed_data(memory.path(), read);
    return true;
  } catch (const ArgumentError&) {
    return false;
  }
}

bool accepts_tuned(std::string_view input) {
  DeviceCaps caps = common_device();
  caps.name = "fuzz";
  caps.driver = "1";
  const MemoryFile memory(input);
  const bench::TunedTable read = bench::read_tuned_table(memory.path(), caps);
  for (const std::string& line : read.wrong) {
    require(line.find('\n') == std::string::npos, "a reason is one line");
  }
  return read.ignored.empty() && !read.table.entries.empty();
}

bool accepts_npy(std::string_view input) {
  const MemoryFile memory(input);
  try {
    const bench::ArrayHeader header = bench::read_npy_header(memory.path());
    require(header.data_at + header.data_bytes == input.size(), "the elements fill the file");
    require(bench::read_array_data(memory.path(), header).size() == header.data_bytes,
            "all elements are read");
    return true;
  } catch (const ArgumentError&) {
    return false;
  }
}

bool accepts_safetensors(std::string_view input) {
  const MemoryFile memory(input);
  try {
    for (const auto& [name, header] : bench::read_safetensors(memory.path())) {
      require(header.data_at + header.data_bytes <= input.size(), "the elements are in the file");
      require(bench::read_array_data(memory.path(), header).size() == header.data_bytes,
              "all elements are read");
    }
    return true;
  } catch (const ArgumentError&) {
    return false;
  }
}

bool accepts_report(std::string_view input) {
  const MemoryFile memory(input);
  try {
    const bench::Comparison self = bench::compare_reports(memory.path(), memory.path(), 3);
    for (const bench::ComparedResult& result : self.results) {
      require(result.change == bench::Change::same, "a report is the same as itself");
    }
    return !self.results.empty();
  } catch (const ArgumentError&) {
    return false;
  }
}

std::span<const Format> formats() {
  static constexpr Format kFormats[] = {{"layout", accepts_layout},
                                        {"kernel", accepts_kernel},
                                        {"plan", accepts_plan},
                                        {"variants", accepts_variants},
                                        {"cache", accepts_cache},
                                        {"packed", accepts_packed},
                                        {"tuned", accepts_tuned},
                                        {"npy", accepts_npy},
                                        {"safetensors", accepts_safetensors},
                                        {"report", accepts_report}};
  return kFormats;
}

}  // namespace vkmoye::fuzz
