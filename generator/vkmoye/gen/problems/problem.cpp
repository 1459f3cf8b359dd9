// SPDX-License-Identifier: MIT
#include "vkmoye/gen/problems/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "vkmoye/gen/numbers/random.hpp"

namespace vkmoye::gen {
namespace {

std::uint64_t bytes_of(ScalarType type, const Extents& shape) {
  return static_cast<std::uint64_t>(number_of_elements(shape)) * size_of(type);
}

}  // namespace

std::vector<std::byte> read_all(const ArrayMemory& memory, std::size_t array, std::uint64_t bytes) {
  std::vector<std::byte> out(bytes);
  memory.read(array, out);
  return out;
}

const char* to_string(Verify verify) {
  return verify == Verify::full ? "full" : verify == Verify::sample ? "sample" : "off";
}

void compare(const Expected& expected, double got, std::size_t place, const std::string& name,
             CheckResult& checked) {
  const double error = std::fabs(got - expected.value);
  if (std::isfinite(error)) checked.max_error = std::max(checked.max_error, error);
  if (is_right(expected, got)) return;
  if (checked.mismatches++ > 0) return;
  checked.first = fmt::format("element {} of {} is {}, not {} within {:.3g}", place, name, got,
                              expected.value, expected.bound);
}

void Problem::add_input(std::string name, ScalarType type, Extents shape, std::uint64_t bytes) {
  const auto is_input = [](const ProblemArray& array) { return array.input.has_value(); };
  const auto place =
      static_cast<std::size_t>(std::count_if(arrays.begin(), arrays.end(), is_input));
  arrays.push_back({std::move(name), type, std::move(shape), bytes, 0, place});
}

void Problem::add_input(std::string name, ScalarType type, Extents shape) {
  const std::uint64_t all = bytes_of(type, shape);
  add_input(std::move(name), type, std::move(shape), all);
}

void Problem::add_result(std::string name, ScalarType type, Extents shape) {
  const std::uint64_t all = bytes_of(type, shape);
  arrays.push_back({std::move(name), type, std::move(shape), all, 0, {}, /*is_result=*/true});
  result = arrays.size() - 1;
}

double Problem::bytes_of_arrays() const {
  if (number_of_elements(arrays[result].shape) == 0) return 0;
  return std::accumulate(arrays.begin(), arrays.end(), 0.0, [](double sum, const auto& array) {
    return sum + static_cast<double>(array.bytes);
  });
}

std::vector<std::int64_t> parts_to_check(std::int64_t parts, std::int64_t more, Verify verify,
                                         std::uint64_t seed) {
  std::vector<std::int64_t> out;
  if (verify == Verify::full || parts <= more + 2) {
    out.resize(static_cast<std::size_t>(parts));
    std::iota(out.begin(), out.end(), 0);
    return out;
  }
  out = {0, parts - 1};
  for (std::int64_t i = 0; i < more; ++i) {
    out.push_back(static_cast<std::int64_t>(random_bits(~seed, static_cast<std::uint64_t>(i)) %
                                            static_cast<std::uint64_t>(parts)));
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace vkmoye::gen
