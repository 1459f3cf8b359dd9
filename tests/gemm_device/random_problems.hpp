// SPDX-License-Identifier: MIT
#pragma once
// Random products over all kernels: problem `number` of seed `seed` is the same wherever it is drawn.
//
//   problem 0 .. 39     one form: kernel, config, types, orders, and whether there are C, a batch,
//                       slices of k, an epilogue; sizes and arguments differ
//   problem 40 .. 79    the next form, so that few pipelines are compiled for many problems
//
// Form f has the kernel of slot f % 15. Slots that know the same types take them in turn, so that the first 15
// forms have every kernel and every type; the rest is drawn.

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <random>
#include <string>

#include "workloads/products/workload.hpp"

namespace vkmoye::test {

inline constexpr std::int64_t kProblemsOfAForm = 40, kKernelSlots = 15;

/// The same numbers everywhere: what the distributions of <random> make is up to each library.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}
  std::int64_t below(std::int64_t end) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(end));
  }
  bool one_in(std::int64_t count) { return below(count) == 0; }
  template <class T>
  T of(std::initializer_list<T> values) {
    return values.begin()[below(static_cast<std::int64_t>(values.size()))];
  }

 private:
  std::mt19937_64 random_;
};

/// A product and the kernel that computes it.
struct Problem {
  const gen::KernelEntry* entry = nullptr;
  gen::Options config = {};
  bench::GemmProblem gemm = {};
  bench::Extents size = {};

  std::unique_ptr<bench::Workload> workload() const {
    return make_product({entry, "", config, {}}, gemm, size);
  }
};

/// The command that repeats it.
std::string command_of(const Problem& problem, std::uint64_t seed);

/// Tiles that lavapipe compiles and runs quickly; every size has edges then.
extern const gen::Options kSmallTiles, kThinRows, kThinColumns;

/// One of the thin configs, in workgroups of a subgroup of the device at least.
gen::Options thin_config(gen::Options config, const DeviceCaps& caps);

/// Whether the device multiplies matrices of these types.
bool has_matrices(const DeviceCaps& caps, const bench::GemmProblem& types);

/// Kernel, config and what of the problem is baked into the kernel, of form `number`. It has no size yet.
/// Nothing where the kernel needs matrix units and the device has none for its types.
std::optional<Problem> random_form(std::uint64_t seed, std::int64_t number, const DeviceCaps& caps);

/// Problem `number`, of `form`. Offsets are multiples of `alignment` bytes.
Problem random_problem(std::uint64_t seed, std::int64_t number, const Problem& form,
                       std::int64_t alignment);

/// Whether the arrays hold whole numbers so small that no sum is rounded: the result must be equal.
bool is_exact(const Problem& problem);

/// `problem` with such numbers. Nothing where the epilogue rounds.
std::optional<Problem> in_whole_numbers(Problem problem);

}  // namespace vkmoye::test
