// SPDX-License-Identifier: MIT
#pragma once
// Numbers in environment variables, which repeat a random case or set how many there are.

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>

namespace vkmoye::test {

/// The whole number in the variable; nullopt if it is not set or empty. Throws std::invalid_argument if it is no whole
/// number from 0 to 2^63-1.
inline std::optional<std::int64_t> number_in(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr || *text == '\0') return std::nullopt;
  char* end = nullptr;
  const std::int64_t number = std::strtoll(text, &end, 10);
  if (*end != '\0' || number < 0) {
    throw std::invalid_argument(std::string(variable) + "='" + text + "' is not a whole number");
  }
  return number;
}

}  // namespace vkmoye::test
