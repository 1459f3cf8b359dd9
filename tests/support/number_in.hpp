// SPDX-License-Identifier: MIT
#pragma once
// Numbers in environment variables, which repeat a random case or set how many there are.

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>

namespace vkmoye::test {

/// The whole number in the variable; nullopt if it is not set or empty. Throws std::invalid_argument if it is no whole
/// number from 0 to 2^63-1.
inline std::optional<std::int64_t> number_in(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr || *text == '\0') return std::nullopt;
  const char* const text_end = text + std::strlen(text);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text, text_end, number);
  if (error != std::errc() || end != text_end || number < 0) {
    throw std::invalid_argument(std::string(variable) + "='" + text + "' is not a whole number");
  }
  return number;
}

}  // namespace vkmoye::test
