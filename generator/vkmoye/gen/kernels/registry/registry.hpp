// SPDX-License-Identifier: MIT
#pragma once
// All kernels, one entry each. The command line and the tests find kernels here.
//
//   const KernelEntry& entry = kernel_named("transpose/padded");
//   ir::Kernel kernel = entry.describe({.form = ScalarType::f32, .options = {{"pad", "2"}}});
//
// What a kernel computes is its `operation`, on arrays in C order:
//
//   copy        dst[r][c] = src[r][c], converted where dst has another type
//   transpose   dst[c][r] = src[r][c]
//   relayout    dst = src with its axes permuted
//   sum         dst[r] = sum over c of src[r][c], or dst[c] = sum over r
//   max         dst[r] = max over c of src[r][c], or dst[c] = max over r
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
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "vkmoye/contract/device_caps.hpp"
#include "vkmoye/contract/scalar_type.hpp"
#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/ir/kernel_plan.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"
#include "vkmoye/gen/kernels/matrix_units/probe.hpp"
#include "vkmoye/gen/problems/form.hpp"
#include "vkmoye/gen/problems/problem.hpp"

namespace vkmoye::gen {

struct GemmTable;

/// Selects one of the kernels that an entry can describe, for one device.
struct KernelRequest {
  Form form = {};        // what is computed; a type alone stands for its usual form of any size
  Options options = {};  // config values that replace the defaults
  DeviceCaps device = common_device();  // kernels choose their tiles by it

  /// The form of that kind, to be changed in place; that of elements becomes the usual one of their type.
  ElementsForm& elements();
  GemmProduct& product();
  TypedAttention& attention();
};

/// A request for elements of `type`, and otherwise with defaults, for any kernel.
KernelRequest request_of(ScalarType type, Options options = {});

/// A request whose form has the kind that the kernel is described for.
template <class Kind>
struct TypedRequest {
  Kind form;
  const Options& options;
  const DeviceCaps& device;
};

/// An option of a kernel.
struct KernelOption {
  std::string name;
  std::string value;  // the default
  std::string help;
  std::string expects = {};  // the accepted values: "a whole number of 64 bits"
  /// The option belongs to the problem, not to how it is computed: an axis, a permutation.
  bool changes_result = false;
  std::vector<std::string> choices = {};  // as ConfigField::choices
};

/// How a plan is made.
struct PlanOptions {
  /// Finds the orders of the matrices on the device, and returns its description with them. Unset: those of the
  /// request.
  std::function<DeviceCaps(const std::vector<ProbedMatrix>&)> find_orders = {};
  /// Why a plan cannot be used, for kernels that choose another one; empty if it can. Unset: the limits of the device
  /// decide.
  std::function<std::vector<std::string>(const KernelPlan&)> refuse = {};
  /// The tables that gemm/auto reads before the shipped one. Null: there are none.
  const std::vector<GemmTable>* tables = nullptr;
  /// Leaves out the steps for which the device has no known fragment order, see KernelPlan::left_out.
  bool without_unknown_orders = false;
};

/// A kernel that the command line, the tests and programs find by its name.
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
  /// Whether the work is that of another entry: it is chosen, see products/choice/choose_gemm.hpp and
  /// attention/choice/choose.hpp, or has two names, as transpose/naive.
  bool chooses = false;
  /// A plan of two kernels: one for slices of rows or of keys, and one that combines them. Unset, or a plan without
  /// steps: the problem is not cut into slices.
  std::function<KernelPlan(const KernelRequest& request)> in_slices = {};
  /// All kernels that compute a problem of the request's form. Unset: see plan_of.
  std::function<KernelPlan(const KernelEntry& self, const KernelRequest& request,
                           const Problem& problem, const PlanOptions& options)>
      plan = {};
  /// Whether the result may have another type than src: --type f32*f16.
  bool converts = false;
};

/// The type of elements where none is given: f32, or the kernel's first type if it does not have f32.
ScalarType usual_type(const KernelEntry& entry);

/// `request` for the entry `name` with these `weights`, which a product gets unless its form has a format of its own.
/// Throws KernelError if the form has another kind.
template <class Kind>
TypedRequest<Kind> typed_request(const std::string& name, const WeightFormat* weights,
                                 const KernelRequest& request) {
  Kind form = form_of_kind<Kind>(request.form, name);
  if constexpr (std::is_same_v<Kind, GemmProduct>) {
    if (weights != nullptr && form.weights == nullptr) {
      form.weights = weights;
      form.b_type = kWeightType;
    }
  }
  return {std::move(form), request.options, request.device};
}

/// The plan of `entry`: its own, the one in slices, or the kernel that it describes over the arrays of the problem.
/// Throws KernelError with every reason.
KernelPlan plan_of(const KernelEntry& entry, const KernelRequest& request, const Problem& problem,
                   const PlanOptions& options = {});
/// Every reason why `device` cannot run the kernels of the plan; empty if it can.
std::vector<std::string> reasons_against(const KernelPlan& plan, const DeviceCaps& device);
/// The plan of one kernel, which binds the arrays of the problem in their order and takes its arguments.
KernelPlan plan_of_one(ir::Kernel kernel, const Problem& problem);

/// All entries, in the order in which `list` prints them.
std::span<const KernelEntry> registry();

/// The entry of that name; null if there is none.
const KernelEntry* find_kernel(const std::string& name);

/// The entry of that name. Throws ArgumentError if there is none: "no kernel 'softmx/rows' (did you mean
/// 'softmax/rows'?)".
const KernelEntry& kernel_named(const std::string& name);

/// The end of the message "no kernel 'WORD'": the name among `names` that was probably meant, or all of the family.
std::string suggested_kernels(const std::string& word, const std::vector<std::string>& names);

}  // namespace vkmoye::gen
