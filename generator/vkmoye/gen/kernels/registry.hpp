#pragma once
// Every kernel that exists, one row each. The command line and the tests find kernels here.
//
//   const KernelEntry* entry = find_kernel("transpose/padded");
//   ir::Kernel kernel = entry->describe({ScalarType::f32, {{"pad", "2"}}});

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "vkmoye/contract/scalar_type.hpp"
#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/gemm_form.hpp"

namespace vkmoye::gen {

/// Config values that replace a kernel's own, as text: {{"tile", "64x32"}, {"pad", "1"}}.
using Options = std::map<std::string, std::string>;

/// What a kernel computes, from the user's side: arrays in C's order.
enum class Operation : std::uint8_t {
  copy,       // dst[r][c] = src[r][c]
  transpose,  // dst[c][r] = src[r][c]
  relayout,   // dst = src with its axes permuted
  gemm,       // c[m][n] = alpha * sum over k of a[m][k] * b[n][k] + beta * c[m][n]
};

/// Which of the kernels that an entry can describe is meant.
struct Request {
  ScalarType type = ScalarType::f32;  // of what is moved
  Options options = {};
  GemmForm gemm = {};                    // for products, instead of `type`
  std::vector<std::int64_t> shape = {};  // of src, for kernels made for one; empty: an example
};

struct OptionRow {
  std::string name;
  std::string value;  // the kernel's own
  std::string help;
};

struct KernelEntry {
  std::string name;  // family/variant
  Operation operation;
  std::string summary;            // what it computes and why it is there
  std::string source;             // the document or paper it follows
  std::vector<ScalarType> types;  // of elements; of a product's operands
  std::vector<OptionRow> options;

  /// Throws KernelError with every reason: an option it does not have, a value it cannot read, and
  /// those of the family's `reasons_against`.
  std::function<ir::Kernel(const Request& request)> describe;
};

/// The plain request for elements of `type`, for any kernel.
Request request_of(ScalarType type, Options options = {});

/// In the order in which `list` shows them.
std::span<const KernelEntry> registry();

const KernelEntry* find_kernel(const std::string& name);

/// The place in src, in C's order, of what stands at `index` of dst, src being rows x cols.
/// Precondition: a copy or a transpose.
std::uint64_t source_index(Operation operation, std::uint64_t index, std::uint64_t rows,
                           std::uint64_t cols);

}  // namespace vkmoye::gen
