// SPDX-License-Identifier: MIT
#pragma once
// Describes a kernel, runs it on the host twin and on a device, and compares both results with a definition in f64.
//
//   static const Model kDouble("double", [](const Machine& machine) {
//     const Data x = random_data(ScalarType::f32, 100);
//     std::vector<Expected> doubled = ..;
//     machine.check(twice(), {x, unwritten(ScalarType::f32, 100)}, {{"n", 100}}, doubled);
//   });

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>
#include <vkmoye/vkmoye.hpp>

namespace models {

using namespace vkmoye;
using namespace vkmoye::gen;
using ir::convert;
using ir::less;
using ir::number;

/// The contents of a buffer: elements of `type`, and the numbers that they are exactly.
struct Data {
  ScalarType type;
  std::vector<double> values;

  double operator[](std::size_t i) const { return values[i]; }
  std::vector<std::byte> bytes() const;
};

/// `count` elements of `type`: value(i), rounded to the type.
Data data(ScalarType type, std::size_t count, const std::function<double(std::size_t)>& value);
/// Uniform in [-1, 1), or whole numbers from 0 to below `end` for integer types. The same in every run.
Data random_data(ScalarType type, std::size_t count, double end = 1);
/// For results: numbers that no kernel computes.
Data unwritten(ScalarType type, std::size_t count);

/// What a test compares with: the value of each element, and the largest difference allowed.
struct Expected {
  double value = 0, tolerance = 0;
};

/// Where kernels run.
class Machine {
 public:
  Machine(Device& device) : device_(device) {}
  /// Lanes of a subgroup; kernels are described for it.
  std::uint32_t lanes() const { return device_.caps().subgroup_size; }
  /// Runs `kernel` on the twin and on the device, with `arrays` in the order of its bindings, and compares the last
  /// array with `expected`. Throws std::runtime_error for a difference or a reason of the twin.
  void check(const ir::Kernel& kernel, const std::vector<Data>& arrays,
             const Arguments& arguments, const std::vector<Expected>& expected) const;
  /// The same for several kernels over shared arrays, in order; of the last step's arrays, the last is the result.
  struct Step {
    ir::Kernel kernel;
    std::vector<std::size_t> arrays;
  };
  void check(const std::vector<Step>& steps, const std::vector<Data>& arrays,
             const Arguments& arguments, const std::vector<Expected>& expected) const;

 private:
  Device& device_;
};

/// A kernel with its test. Each file defines one.
struct Model {
  Model(const char* name, std::function<void(const Machine&)> check);
};

}  // namespace models
