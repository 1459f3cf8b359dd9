// SPDX-License-Identifier: MIT
#pragma once
// Random products for all kernels: problem `number` of seed `seed` is the same on every machine.
//
//   problem 0 .. 39     one form: kernel, config, types, orders, and whether it has C, a batch, slices of k,
//                       an epilogue; sizes and arguments vary
//   problem 40 .. 79    the next form; so few pipelines are compiled for many problems
//
// Form f has the kernel of slot f % 17. Slots with the same list of types use them in turn, so that the first 17
// forms have every kernel and every type; the rest is random.

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <random>
#include <string>

#include "vkmoye/gen/problems/products/gemm_problem.hpp"
#include "workloads/workload.hpp"

namespace vkmoye::test {

inline constexpr std::int64_t kProblemsOfAForm = 100, kKernelSlots = 20;

/// Random numbers that are the same on every machine; the distributions of <random> depend on the library.
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
  gen::GemmOptions gemm = {};
  Extents size = {};

  bench::Workload workload() const {
    return {entry, gen::product_problem({entry, "", config, {}}, gemm, size), config};
  }
};

/// The command that repeats it.
std::string command_of(const Problem& problem, std::uint64_t seed);

/// Tiles that lavapipe compiles and runs quickly, and which every size cuts at the edges.
extern const gen::Options kSmallTiles, kThinRows, kThinColumns;

/// A thin config whose workgroups have at least one subgroup of the device.
gen::Options thin_config(gen::Options config, const DeviceCaps& caps);

/// Whether the device has matrix units for these types.
bool has_matrices(const DeviceCaps& caps, const gen::GemmOptions& types);

/// Whether forms with the slot of form `number` are for GPUs: compilers for CPUs take a minute for each kernel.
bool is_for_gpus(std::int64_t number);

/// Form `number`: the kernel, its config, and the properties of the problem that are baked into the kernel, without a
/// size. nullopt if the kernel needs matrix units that the device does not have, or is for GPUs and the device a CPU.
std::optional<Problem> random_form(std::uint64_t seed, std::int64_t number, const DeviceCaps& caps);

/// Problem `number`, which has the form `form`. Offsets are multiples of `alignment` bytes.
Problem random_problem(std::uint64_t seed, std::int64_t number, const Problem& form,
                       std::int64_t alignment);

/// Problem `number` of `form`, which has the number `form_number`, with hard numbers, and so small that the twin
/// computes it in milliseconds. Whole numbers that an epilogue changes are not hard.
Problem hard_problem(std::uint64_t seed, std::int64_t number, const Problem& form,
                     std::int64_t form_number, std::int64_t alignment);

/// Whether the arrays hold small whole numbers whose sums are exact, so that the result must be exact.
bool is_exact(const Problem& problem);

/// `problem` with such numbers. nullopt if the epilogue rounds.
std::optional<Problem> in_whole_numbers(Problem problem);

}  // namespace vkmoye::test
