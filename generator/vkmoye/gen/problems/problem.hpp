// SPDX-License-Identifier: MIT
#pragma once
// A problem: what a kernel computes, for given types and sizes. It provides everything that running, checking and
// comparing kernels needs, and does not depend on any kernel.
//
//   Softmax of 64 rows of 1000 f16:
//     arrays       src (64, 1000), dst (64, 1000)       as kernels bind them: inputs, then results
//     arguments    rows 64, cols 1000
//     bytes        256000                               that must be read and written
//     fill         src becomes random numbers
//     check        dst is compared with the definition, computed in f64, within the bound of its error

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/contract/extents.hpp"
#include "vkmoye/contract/kernel_interface.hpp"
#include "vkmoye/contract/scalar_type.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"
#include "vkmoye/gen/numbers/expected.hpp"
#include "vkmoye/gen/problems/form.hpp"

namespace vkmoye::gen {

/// An array of a problem.
struct ProblemArray {
  std::string name;  // of the binding
  ScalarType type = ScalarType::f32;
  Extents shape;             // in C order
  std::uint64_t bytes = 0;   // of the buffer, with everything before and between the elements
  std::uint64_t offset = 0;  // bytes before the part that the kernel uses
  /// Its place among the arrays of a user, which hold data before the kernel runs; nullopt: it is only a result.
  std::optional<std::size_t> input = {};
  bool is_result = false;
  bool fortran_order = false;  // of a result: the first axis varies fastest, as NumPy would have it
};

/// The arrays of a problem while it is filled and checked.
class ArrayMemory {
 public:
  virtual ~ArrayMemory() = default;

  /// Reads or writes bytes of array number `array`, starting at `offset`.
  virtual void write(std::size_t array, std::span<const std::byte> from,
                     std::uint64_t offset = 0) = 0;
  virtual void read(std::size_t array, std::span<std::byte> to, std::uint64_t offset = 0) const = 0;

  /// Whether the kernel uses matrix units: these round the wider one of operands with different types.
  virtual bool has_matrices() const { return false; }
  /// The threads that share the sum of a row in the kernel.
  virtual std::size_t summing_threads() const { return 1; }
};

/// The contents of array number `array`, `bytes` bytes.
std::vector<std::byte> read_all(const ArrayMemory& memory, std::size_t array, std::uint64_t bytes);

/// How many elements of a result are compared with their definition: all, some, or none.
enum class Verify { full, sample, off };

/// "full", "sample", "off": as for --verify.
const char* to_string(Verify verify);

/// The comparison of a result with the definition.
struct CheckResult {
  std::uint64_t mismatches = 0;  // elements that differ by more than rounding explains
  double max_error = 0;          // largest absolute difference
  std::string first;             // the first mismatch as text; empty: there is none
};

/// Compares element `place` of the array `name` with its definition.
void compare(const Expected& expected, double got, std::size_t place, const std::string& name,
             CheckResult& checked);

/// The byte with which arrays that no kernel may read, and all results, are filled.
inline constexpr std::byte kPoison{0xff};

class Problem {
 public:
  virtual ~Problem() = default;
  Problem() = default;
  Problem(const Problem&) = delete;
  Problem& operator=(const Problem&) = delete;

  Form form;                               // for which kernels are described
  std::string type_text;                   // the types in the form of --type
  Extents size;                            // in the form of --size
  std::vector<std::string> command_words;  // further options of the command line that state it
  std::vector<ProblemArray> arrays;        // in the order of the bindings
  std::vector<std::size_t> bindings;  // the array of each binding of a kernel; empty: in this order
  std::size_t result = 0;             // the result that gives the problem its name
  Options kernel_options;             // options of kernels that state it: an axis, a permutation
  Arguments arguments;
  double bytes = 0;  // the least number that must be read and written
  double flops = 0;  // floating-point operations; a multiply-add counts as two. 0: only moves
  double seconds_to_check = 0;  // about how long checking every element takes
  std::string refusal;          // why no device can compute a result; empty: the result exists

  /// With at most 8 operations per byte, every device is memory-bound, so that a comparison with a copy makes sense.
  bool is_bound_by_memory() const { return flops <= 8 * bytes; }

  /// The reasons against the contents of the user's array `input`: what a kernel relies on, and cannot check.
  virtual std::vector<std::string> reasons_against_contents(
      std::size_t /*input*/, const std::vector<std::byte>& /*contents*/) const {
    return {};
  }

  /// Fills the inputs: random, reproducible from `seed`. Elements that the kernel must not read stay poisoned.
  virtual void fill(ArrayMemory& memory, std::uint64_t seed) const = 0;
  /// Checks the results of one run on the arrays of `fill`. Precondition: `verify` is not off.
  virtual CheckResult check(const ArrayMemory& memory, Verify verify, std::uint64_t seed) const = 0;

 protected:
  /// Adds an array that is bound after the others.
  void add_input(std::string name, ScalarType type, Extents shape, std::uint64_t bytes);
  /// Adds an input or a result that has its elements without gaps.
  void add_input(std::string name, ScalarType type, Extents shape);
  void add_result(std::string name, ScalarType type, Extents shape);
  /// The bytes of all arrays, 0 if the result has no elements: then nothing must be read.
  double bytes_of_arrays() const;
};

/// The numbers of the parts, of `parts`, that are checked: all, or the first, the last and `more` random ones, in
/// order.
std::vector<std::int64_t> parts_to_check(std::int64_t parts, std::int64_t more, Verify verify,
                                         std::uint64_t seed);

}  // namespace vkmoye::gen
