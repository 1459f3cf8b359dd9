// SPDX-License-Identifier: MIT
#pragma once
// std::from_chars for double, also for C++ libraries that have it for integers only (libc++ before version 20).
//
//   double value = 0;
//   read_double(text.data(), text.data() + text.size(), value)      {end of the number, std::errc()}

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>
#include <system_error>
#include <version>

namespace vkmoye {

/// As std::from_chars(begin, end, value), by strtod. Precondition: the C locale has a decimal point.
inline std::from_chars_result read_double_by_strtod(const char* begin, const char* end,
                                                    double& value) {
  std::string text(begin, end);
  // strtod also takes spaces, a plus, and hexadecimal numbers: of "0x1", from_chars takes the 0.
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  const bool is_other = text.size() == first || text[first] == '+' || text[first] == '-' ||
                        static_cast<unsigned char>(text[first]) <= ' ';
  if (is_other) return {begin, std::errc::invalid_argument};
  if (text.find_first_of("xX") == first + 1) text.resize(first + 1);
  const int before = errno;
  errno = 0;
  char* stop = nullptr;
  const double number = std::strtod(text.c_str(), &stop);
  // Some report subnormal numbers, too, which from_chars takes.
  const bool is_out = errno == ERANGE && (number == 0 || std::isinf(number));
  errno = before;
  if (stop == text.c_str()) return {begin, std::errc::invalid_argument};
  const char* after = begin + (stop - text.c_str());
  if (is_out) return {after, std::errc::result_out_of_range};
  value = number;
  return {after, std::errc()};
}

/// As std::from_chars(begin, end, value).
inline std::from_chars_result read_double(const char* begin, const char* end, double& value) {
#ifdef __cpp_lib_to_chars
  return std::from_chars(begin, end, value);
#else
  return read_double_by_strtod(begin, end, value);
#endif
}

}  // namespace vkmoye
