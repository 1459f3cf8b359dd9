// SPDX-License-Identifier: MIT
#pragma once
// Random problems of attention: all kernels, types, options and orders of axes, sizes around those of tiles.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "vkmoye/gen/numbers/random.hpp"
#include "workloads/workload.hpp"

namespace vkmoye::test {

inline constexpr std::int64_t kOfAForm = 110;  // problems that differ only in sizes
inline constexpr std::int64_t kLarge = 10;     // of them, the first ones

/// Random numbers of a problem, the same on every machine.
class Drawn {
 public:
  Drawn(std::uint64_t seed, std::int64_t number) : stream_(gen::random_bits(seed, ~0ull)) {
    stream_ = gen::random_bits(stream_, static_cast<std::uint64_t>(number));
  }
  std::int64_t below(std::int64_t end) {
    return static_cast<std::int64_t>(gen::random_bits(stream_, count_++) %
                                     static_cast<std::uint64_t>(end));
  }
  template <class T>
  T one_of(const std::vector<T>& values) {
    return values[static_cast<std::size_t>(below(static_cast<std::int64_t>(values.size())))];
  }

 private:
  std::uint64_t stream_, count_ = 0;
};

/// As on the command line.
struct AttentionProblem {
  std::string kernel, type;
  gen::Options config, values;
  Extents size;

  std::string command() const;
  bench::Workload workload() const;
};

/// The elements of the widest blocks of a type; at least 32.
std::int64_t elements_of_blocks(const std::string& type);

/// The kernel, its config and the options that it depends on.
AttentionProblem drawn_form(std::uint64_t seed, std::int64_t form);
/// Problem `number`, of form number / kOfAForm.
AttentionProblem drawn_problem(std::uint64_t seed, std::int64_t number);

}  // namespace vkmoye::test
