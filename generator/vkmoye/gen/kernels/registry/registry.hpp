// SPDX-License-Identifier: MIT
#pragma once
// All kernels, one entry each. The command line and the tests find kernels here.
//
//   const KernelEntry& entry = kernel_named("transpose/padded");
//   ir::Kernel kernel = entry.describe({.type = ScalarType::f32, .options = {{"pad", "2"}}});
//
// What a kernel computes is its `operation`, on arrays in C order:
//
//   copy        dst[r][c] = src[r][c], converted where dst has another type
//   transpose   dst[c][r] = src[r][c]
//   relayout    dst = src with its axes permuted
//   sum         dst[r] = sum over c of src[r][c], or dst[c] = sum over r
//   max         the same with the maximum
//   softmax     dst[r][c] = exp(src[r][c] - max) / sum over c of exp(src[r][c] - max),
//               max the maximum of the row
//   rms_norm    dst[r][c] = src[r][c] / sqrt(mean over c of src[r][c]^2 + epsilon) * weight[c]
//   residual_norm   total = src + residual, dst = the rms_norm of total
//   argmax      dst[r] = the first c with the largest src[r][c]
//   topk        values[r], columns[r] = the k largest src[r][c] in order, and their c
//   gate        dst[r][c] = f(src[r][c]) * gated[r][c]
//   embed       dst[r] = table[indices[r]], or 0 if there is no such row
//   rope        dst[t][h] = src[t][h] with its pairs rotated by positions[t] * frequencies; see rows/rope.hpp
//   attention   o[i] = sum over j of p[i][j] * v[j], p = softmax of scale * q[i] . k[j] over the keys
//               j that query i sees, for each head; see attention/form/attention_form.hpp
//   gemm        c[m][n] = alpha * sum over k of a[m][k] * b[n][k] + beta * c[m][n]
//
// kernels/all_entries.cpp defines `registry`; entry_of.cpp helps to make entries.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/contract/scalar_type.hpp"
#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/ir/kernel_plan.hpp"
#include "vkmoye/gen/kernels/attention/form/attention_form.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"
#include "vkmoye/gen/kernels/matrix_units/probe.hpp"
#include "vkmoye/gen/kernels/products/form/gemm_form.hpp"

namespace vkmoye::gen {

/// Selects one of the kernels that an entry can describe, for one device.
struct KernelRequest {
  ScalarType type =
      ScalarType::f32;   // type of the elements; for a product, of its operands' elements
  Options options = {};  // config values that replace the defaults
  GemmForm gemm = {};    // for a product
  /// The shape of src, or {M, N, K} of a product, for kernels that are made for one shape or chosen by
  /// it. nullopt: an example, or any shape. {} is the shape of a single number.
  std::optional<std::vector<std::int64_t>> shape = {};
  DeviceCaps device = common_device();  // kernels choose their tiles by it
  /// The size of the largest array; 0: unknown. Arrays too large for a descriptor are reached by pointers.
  std::uint64_t elements = 0;
  /// The type of the result of an entry that converts, where it is not `type`.
  std::optional<ScalarType> result = {};
  /// For attention: kernels are chosen by its sizes, and take them at run time.
  AttentionCall attention = {};
};

struct KernelOption {
  std::string name;
  std::string value;  // the default
  std::string help;
  std::string expects = {};  // the accepted values: "a whole number of 64 bits"
  /// It belongs to the problem, not to how it is computed: an axis, a permutation.
  bool changes_result = false;
};

struct KernelEntry {
  std::string name;               // family/variant
  std::string operation;          // what it computes, see above
  std::string summary;            // how it computes it, and why the kernel exists
  std::string source;             // the document or paper it follows
  std::vector<ScalarType> types;  // types of elements; for a product, of its operands' elements
  std::vector<KernelOption> options;
  /// Throws KernelError with every reason: an unsupported type, an unknown option, a value that cannot
  /// be read, and those of the family's `reasons_against`.
  std::function<ir::Kernel(const KernelRequest& request)> describe;
  /// The reasons that follow from config, form and device alone, without describing the kernel, which
  /// takes seconds. If there are none, it is described, once the orders of its matrices are known. Set for
  /// kernels that gemm/auto and attention/auto choose from.
  std::function<std::vector<std::string>(const KernelRequest& request)> refuse = {};

  /// Whether the operands of the product must be packed in fragment order first; see products/packed.hpp.
  bool takes_packed = false;
  /// The matrices whose fragment order on the device must be known before the kernel can be described;
  /// see DeviceCaps::fragment_orders. None for a config that is refused anyway. Unset: it needs none.
  std::function<std::vector<ProbedMatrix>(const KernelRequest& request)> probes = {};
  /// The format of B where a request for a product has none: the kernel reads weights in blocks only. Null: it
  /// multiplies elements, too.
  const WeightFormat* weights = nullptr;
  /// Whether another entry is chosen to do the work; see products/choice/choose_gemm.hpp, attention/choice/choose.hpp.
  bool chooses = false;
  /// All kernels that compute the request; `shape` or `attention` gives its sizes. No steps, or unset:
  /// `describe` gives the only kernel.
  std::function<KernelPlan(const KernelRequest& request)> plan = {};
  /// Whether the result may have another type than src: --type f32*f16.
  bool converts = false;
};

/// `form` with B in `weights`, unless that is null or the form has a format of its own.
inline GemmForm with_weights(const WeightFormat* weights, GemmForm form) {
  if (weights == nullptr || form.weights != nullptr) return form;
  form.weights = weights;
  form.b_type = kWeightType;
  return form;
}

/// A request for elements of `type` and otherwise with defaults, for any kernel.
KernelRequest request_of(ScalarType type, Options options = {});

/// All entries, in the order in which `list` prints them.
std::span<const KernelEntry> registry();

/// The entry of that name; null if there is none.
const KernelEntry* find_kernel(const std::string& name);

/// The entry of that name. Throws ArgumentError if there is none: "no kernel 'softmx/rows' (did you mean
/// 'softmax/rows'?)".
const KernelEntry& kernel_named(const std::string& name);

/// What the message says after "no kernel 'WORD'": the name among `names` that was meant, or all of the family.
std::string suggested_kernels(const std::string& word, const std::vector<std::string>& names);

}  // namespace vkmoye::gen
