// SPDX-License-Identifier: MIT
#include "vkmoye/contract/kernel_json.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "vkmoye/base/reasons.hpp"
#include "vkmoye/contract/interface_json.hpp"
#include "vkmoye/contract/spirv.hpp"

namespace vkmoye {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

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

// nullopt if it is not base64 of whole words.
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

}  // namespace

Json kernel_to_json(const CompiledKernel& kernel) {
  return {{"interface", interface_to_json(kernel.interface)},
          {"glsl", kernel.glsl},
          {"spirv", to_base64(kernel.spirv)}};
}

CompiledKernel kernel_of_json(const Json& json, std::vector<std::string>& reasons) {
  const std::size_t before = reasons.size();
  CompiledKernel kernel;
  kernel.glsl = text_in(json, "glsl", reasons);
  auto words = from_base64(text_in(json, "spirv", reasons));
  if (!words) reasons.emplace_back("spirv is not base64 of whole words");
  kernel.interface = interface_of_json(member_or_null(json, "interface"), reasons);
  if (reasons.size() > before) return kernel;
  add_all(reasons, reasons_against_spirv(kernel.interface, *words));
  kernel.spirv = *std::move(words);
  return kernel;
}

}  // namespace vkmoye
