// SPDX-License-Identifier: MIT
#pragma once
// std::from_chars for double, also for C++ libraries that have it for integers only (libc++ before version 20).
//
//   double value = 0;
//   read_double(text.data(), text.data() + text.size(), value)      {end of the number, std::errc()}

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <string>
#include <system_error>
#include <version>

namespace vkmoye {

/// As std::from_chars(begin, end, value).
inline std::from_chars_result read_double(const char* begin, const char* end, double& value) {
#ifdef __cpp_lib_to_chars
  return std::from_chars(begin, end, value);
#else
  // strtod also takes spaces, a plus and hexadecimal numbers; of "0x1", from_chars takes the 0.
  std::string text(begin, end);
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  if (text.size() == first || text[first] == '+' || static_cast<unsigned char>(text[first]) <= ' ')
    return {begin, std::errc::invalid_argument};
  if (const std::size_t x = text.find_first_of("xX"); x == first + 1) text.resize(x);
  char* stop = nullptr;
  errno = 0;
  const double number = std::strtod(text.c_str(), &stop);
  if (stop == text.c_str()) return {begin, std::errc::invalid_argument};
  const char* after = begin + (stop - text.c_str());
  if (errno == ERANGE) return {after, std::errc::result_out_of_range};
  value = number;
  return {after, std::errc()};
#endif
}

}  // namespace vkmoye
