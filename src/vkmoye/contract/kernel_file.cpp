// SPDX-License-Identifier: MIT
#include "vkmoye/contract/kernel_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/contract/interface_json.hpp"
#include "vkmoye/contract/spirv.hpp"

namespace vkmoye {
namespace {

constexpr std::string_view kFormat = "vkmoye kernel";
constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string checksum_of(const Json& kernel) {
  const std::string text = dump(kernel);
  return fmt::format("{:016x}", XXH64(text.data(), text.size(), 0));
}

std::string to_base64(const std::vector<std::uint32_t>& words) {
  std::string out;
  std::uint32_t bits = 0;
  int count = 0;
  const auto put_byte = [&](std::uint32_t byte) {
    bits = bits << 8 | (byte & 0xff);
    for (count += 8; count >= 6; count -= 6) out += kDigits[bits >> (count - 6) & 63];
  };
  for (const std::uint32_t word : words) {
    for (int shift = 0; shift < 32; shift += 8) put_byte(word >> shift);
  }
  if (count > 0) out += kDigits[bits << (6 - count) & 63];
  while (out.size() % 4 != 0) out += '=';
  return out;
}

// Nothing where it is no base64 of whole words.
std::optional<std::vector<std::uint32_t>> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::size_t padding = 0;
  while (padding < 2 && text.ends_with('=')) {
    text.remove_suffix(1);
    ++padding;
  }
  std::vector<std::uint32_t> words;
  std::uint32_t bits = 0;
  int count = 0;
  std::size_t bytes = 0;
  for (const char digit : text) {
    const std::size_t value = kDigits.find(digit);
    if (value == kDigits.npos) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    if (bytes % 4 == 0) words.push_back(0);
    words.back() |= (bits >> count & 0xff) << 8 * (bytes % 4);
    ++bytes;
  }
  return bytes % 4 == 0 ? std::optional(words) : std::nullopt;
}

[[noreturn]] void refuse(std::vector<std::string> reasons) {
  throw ArgumentError("kernel file: " + join(reasons, "; "));
}

// A string among the members of `of`, or a reason.
std::string read_string(const Json& of, const char* key, std::vector<std::string>& reasons) {
  const Json* member = of.find(key);
  const auto* text = member == nullptr ? nullptr : member->as<std::string>();
  if (text != nullptr) return *text;
  reasons.push_back(fmt::format("{} {}", key, member == nullptr ? "is missing" : "is no string"));
  return "";
}

// Runs `body`; an ArgumentError of it names the file.
template <class Body>
auto naming(const std::filesystem::path& file, Body body) {
  try {
    return body();
  } catch (const ArgumentError& error) {
    throw ArgumentError(fmt::format("{}: {}", file.string(), error.what()));
  }
}

}  // namespace

std::string interface_text(const KernelInterface& kernel) {
  return dump(interface_to_json(kernel), 2) + "\n";
}

std::string kernel_text(const CompiledKernel& kernel) {
  Json content = Json::Object{{"interface", interface_to_json(kernel.interface)},
                              {"glsl", kernel.glsl},
                              {"spirv", to_base64(kernel.spirv)}};
  std::string checksum = checksum_of(content);
  return dump(Json::Object{{"format", kFormat},
                           {"version", kKernelFileVersion},
                           {"checksum", std::move(checksum)},
                           {"kernel", std::move(content)}},
              2) +
         "\n";
}

CompiledKernel parse_kernel(std::string_view text) {
  const Json file = parse_json(text);
  std::vector<std::string> reasons;
  if (read_string(file, "format", reasons) != kFormat) {
    refuse({fmt::format("\"format\" is not \"{}\"", kFormat)});
  }
  const Json* version = file.find("version");
  const auto* number = version == nullptr ? nullptr : version->as<std::int64_t>();
  if (number == nullptr || *number != kKernelFileVersion) {
    refuse({fmt::format("it is of version {}, this vkmoye reads version {}",
                        number == nullptr ? "none" : std::to_string(*number), kKernelFileVersion)});
  }
  const Json* content = file.find("kernel");
  if (content == nullptr) refuse({"kernel is missing"});
  const std::string said = read_string(file, "checksum", reasons), is = checksum_of(*content);
  if (reasons.empty() && said != is) {
    refuse(
        {fmt::format("it was changed or damaged: its checksum is {}, {} was written", is, said)});
  }
  CompiledKernel kernel;
  kernel.glsl = read_string(*content, "glsl", reasons);
  const auto words = from_base64(read_string(*content, "spirv", reasons));
  if (!words) reasons.push_back("spirv is no base64 of whole words");
  const Json* interface = content->find("interface");
  kernel.interface = interface_of_json(interface == nullptr ? Json() : *interface, reasons);
  if (reasons.empty()) reasons = reasons_against_spirv(kernel.interface, *words);
  if (!reasons.empty()) refuse(std::move(reasons));
  kernel.spirv = *words;
  return kernel;
}

void write_kernel_file(const std::filesystem::path& file, const CompiledKernel& kernel) {
  const std::string text = kernel_text(kernel);
  std::filesystem::path unfinished = file;
  unfinished += ".unfinished";
  std::ofstream out(unfinished, std::ios::binary);
  out << text;
  out.close();
  std::error_code error;
  if (out) std::filesystem::rename(unfinished, file, error);
  if (!out || error) {
    std::error_code none;
    std::filesystem::remove(unfinished, none);
    throw ArgumentError(
        fmt::format("{}: cannot be written{}", file.string(), error ? ": " + error.message() : ""));
  }
}

CompiledKernel read_kernel_file(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) {
    throw ArgumentError(fmt::format("{}: there is no such file", file.string()));
  }
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) throw ArgumentError(fmt::format("{}: cannot be read", file.string()));
  return naming(file, [&] { return parse_kernel(text); });
}

}  // namespace vkmoye
