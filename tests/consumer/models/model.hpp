// SPDX-License-Identifier: MIT
#pragma once
// A kernel, or a plan of several, with the problem that it computes. Each file defines one; main.cpp makes a benchmark
// of all.
//
//   const Model kDouble({.name = "models/double",
//                        .summary = "twice an array",
//                        .size_form = "COUNT",
//                        .example = {1000},
//                        .type = ScalarType::f32,
//                        .problem = [](const Size& size) { return bench::Problem{..}; },
//                        .reference = [](const bench::Problem&, Inputs in, Result out) { .. },
//                        .kernel = [](const DeviceCaps&) { return twice(); }});

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>
#include <vkmoye/bench/bench.hpp>
#include <vkmoye/vkmoye.hpp>

namespace models {

using namespace vkmoye;
using namespace vkmoye::gen;
using ir::convert;
using ir::less;
using ir::number;

/// The extents of --size.
using Size = std::vector<std::int64_t>;
/// The inputs, then what the kernel reads of its results: exactly the numbers that it gets.
using Inputs = std::span<const std::vector<double>>;
/// The definition of a result, or of several.
using Result = std::span<Expected>;
using Results = std::span<std::vector<Expected>>;

/// A kernel of a plan, which gets those of the arguments that it has, from `own` or from the problem. `arrays`: the
/// number of the array of each binding; scratch is counted after the arrays of the problem.
struct Step {
  ir::Kernel kernel;
  std::vector<std::size_t> arrays;
  Arguments own = {};
};
struct Steps {
  std::vector<PlanArray> scratch;
  std::vector<Step> steps;
};

/// What a model consists of.
struct Parts {
  std::string name, summary;
  std::string size_form;  // as bench::OperationEntry
  Size example;
  ScalarType type = ScalarType::f32;  // of the arrays that have none of their own
  std::function<bench::Problem(const Size&)> problem;
  std::function<void(const bench::Problem&, Inputs, Result)> reference = {};
  /// In place of `reference`, for several results.
  std::function<void(const bench::Problem&, Inputs, Results)> references = {};
  std::function<ir::Kernel(const DeviceCaps&)> kernel = {};
  /// In place of `kernel`: a plan. --step selects the step that `explain` reports.
  std::function<Steps(const DeviceCaps&, const Size&)> steps = {};
};

/// Adds a model to the benchmark.
struct Model {
  explicit Model(Parts parts);
};

/// A number from 0 to below 1, and a whole number from 0 to below `end`, of 64 random bits.
inline double fraction(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }
inline double whole(std::uint64_t bits, std::size_t end) {
  return static_cast<double>(bits % end);
}

/// ceil(a / b)
inline std::int64_t parts_of(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace models
