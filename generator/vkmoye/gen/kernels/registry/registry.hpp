// SPDX-License-Identifier: MIT
#pragma once
// Every kernel that exists, one row each. The command line and the tests find kernels here.
//
//   const KernelEntry* entry = find_kernel("transpose/padded");
//   ir::Kernel kernel = entry->describe({ScalarType::f32, {{"pad", "2"}}});
//
// What a kernel computes is its `operation`, of arrays in C's order:
//
//   copy        dst[r][c] = src[r][c]
//   transpose   dst[c][r] = src[r][c]
//   relayout    dst = src with its axes permuted
//   sum         dst[r] = sum over c of src[r][c], or dst[c] = sum over r
//   max         likewise the largest
//   softmax     dst[r][c] = exp(src[r][c] - most) / sum over c of exp(src[r][c] - most),
//               most the largest of the row
//   rms_norm    dst[r][c] = src[r][c] / sqrt(mean over c of src[r][c]^2 + epsilon) * weight[c]
//   gemm        c[m][n] = alpha * sum over k of a[m][k] * b[n][k] + beta * c[m][n]

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/contract/scalar_type.hpp"
#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"
#include "vkmoye/gen/kernels/products/form/form.hpp"
#include "vkmoye/gen/kernels/products/fragments/probe.hpp"

namespace vkmoye::gen {

/// Which of the kernels that an entry can describe is meant, and for which device.
struct KernelRequest {
  ScalarType type = ScalarType::f32;  // of the elements; of a product, of its operands
  Options options = {};               // config values that replace the kernel's own
  GemmForm gemm = {};                 // of a product
  /// Of src, of a product {M, N, K}, for kernels made for one shape or chosen by it; nothing: an
  /// example, or any shape. {} is the shape of one number.
  std::optional<std::vector<std::int64_t>> shape = {};
  DeviceCaps device = common_device();  // kernels choose their tiles by it
  /// Of its largest array, where that is known: what no descriptor reaches is reached by pointers.
  std::uint64_t elements = 0;
};

struct OptionRow {
  std::string name;
  std::string value;  // the kernel's own
  std::string help;
  std::string expects = {};  // what can be given: "a whole number of 64 bits"
};

struct KernelEntry {
  std::string name;               // family/variant
  std::string operation;          // what it computes, see above
  std::string summary;            // how, and why it is there
  std::string source;             // the document or paper it follows
  std::vector<ScalarType> types;  // of elements; of a product's operands
  std::vector<OptionRow> options;
  /// Throws KernelError with every reason: a type or an option it does not have, a value it cannot
  /// read, and those of the family's `reasons_against`.
  std::function<ir::Kernel(const KernelRequest& request)> describe;
  /// Reasons that are known before the kernel is described, which takes seconds: what config, form and
  /// device rule out. Empty: there may be more. Of kernels that gemm/auto chooses from.
  std::function<std::vector<std::string>(const KernelRequest& request)> refuse = {};

  /// Operands of the product lie in fragment order: they are packed first, see products/packed.hpp.
  bool takes_packed = false;
  /// The matrices of which the device's own order must be known before the kernel can be described, see
  /// DeviceCaps::fragment_orders; none of a config that is refused anyway. Empty: it depends on none.
  std::function<std::vector<ProbedMatrix>(const KernelRequest& request)> probes = {};
  /// Another entry does the work, chosen by a table, see products/choice/choice.hpp.
  bool chooses = false;
};

/// The plain request for elements of `type`, for any kernel.
KernelRequest request_of(ScalarType type, Options options = {});

/// In the order in which `list` shows them.
std::span<const KernelEntry> registry();

const KernelEntry* find_kernel(const std::string& name);

}  // namespace vkmoye::gen
