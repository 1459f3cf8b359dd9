// SPDX-License-Identifier: MIT
#pragma once
// The properties of a matrix product that are baked into the kernel: everything but its sizes.
//
//   C(M,N) = epilogue(alpha * A(M,K) * B(N,K)^T + beta * C)

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vkmoye/contract/scalar_type.hpp"
#include "vkmoye/gen/kernels/common/weight_format.hpp"
#include "vkmoye/gen/kernels/products/form/epilogue.hpp"

namespace vkmoye::gen {

struct GemmForm {
  ScalarType a_type = ScalarType::f32, b_type = ScalarType::f32;  // types of A and B
  ScalarType accumulator = ScalarType::f32;                       // type of the sums over k
  ScalarType result = ScalarType::f32;                            // type of C
  bool a_k_contiguous = true;                                     // else m is contiguous
  bool b_k_contiguous = true;                                     // else n is contiguous
  bool beta = false;  // whether C is read; else its old values are ignored
  bool batched = false;
  /// B contains a matrix for each expert of a mixture, to which some rows of A belong: C(m,n) is the product of row m
  /// with the matrix of its expert. See arrays/expert_rows.hpp.
  bool has_experts = false;
  bool split_k = false;  // C is a matrix of sums for each of `slices` slices of k, without epilogue
  GemmEpilogue epilogue = {};  // steps before C is rounded
  /// The format of blocks of weights in the rows of B; null: elements of b_type. For blocks, b_type is the type to
  /// which matrix units round them, kWeightType. The format must outlive the form.
  const WeightFormat* weights = nullptr;
};

/// A form and the sizes by which kernels are chosen.
struct GemmProduct : GemmForm {
  /// The product of this form, of these extents (any, if there are none), for `matrices` matrices.
  GemmProduct(GemmForm form = {},  // NOLINT: a form alone is a product of any size
              std::optional<std::vector<std::int64_t>> extents = {}, std::int64_t matrices = 1)
      : GemmForm(std::move(form)), shape(std::move(extents)), batch(matrices) {}

  std::optional<std::vector<std::int64_t>> shape;  // {M, N, K}; absent: 4096 each
  std::int64_t batch;
};

/// The extents of a product that is an example, where none are given.
inline const std::vector<std::int64_t> kProductExample = {1024, 1024, 1024};

/// The b_type of a form with a weight format.
inline constexpr ScalarType kWeightType = ScalarType::f16;

/// The type in which matrix units multiply: the narrower one of A and B, to which the other is rounded.
inline ScalarType multiplied_type(ScalarType a, ScalarType b) {
  return size_of(b) < size_of(a) ? b : a;
}
inline ScalarType multiplied_type(const GemmForm& form) {
  return multiplied_type(form.a_type, form.b_type);
}

/// Whether A of type `a` can be multiplied by B of type `b`: both have the same type, or both are among f16,
/// bf16 and f32.
bool are_multiplied(ScalarType a, ScalarType b);

/// "f16"; for two types "f32*f16"; with a weight format "f16*q4_0".
std::string operands_text(ScalarType a, ScalarType b, const WeightFormat* weights = nullptr);
inline std::string operands_text(const GemmForm& form) {
  return operands_text(form.a_type, form.b_type, form.weights);
}

/// The type of the sums of a slice of k, and of sums without matrix units: the accumulator's, but at least 32 bits.
constexpr ScalarType sum_type(const GemmForm& form) {
  return form.accumulator == ScalarType::f16 ? ScalarType::f32 : form.accumulator;
}

/// The type of alpha, beta and the steps of the epilogue: the type of the sums; f32 if integers are summed and C is
/// floating-point, so that i8*i8 with sums in i32 can be scaled to f16.
constexpr ScalarType factor_type(ScalarType accumulator, ScalarType result) {
  const bool is_scaled = !is_floating(accumulator) && is_floating(result);
  return is_scaled || accumulator == ScalarType::f16 ? ScalarType::f32 : accumulator;
}
constexpr ScalarType factor_type(const GemmForm& form) {
  return factor_type(form.accumulator, form.result);
}

/// "f32*f16,f32,f16 a=k b=n beta batch epilogue=bias,relu"; slices are "split-k".
std::string form_text(const GemmForm& form);

/// The name and value of the form, then `config`: the first line of the text of a product.
std::vector<std::pair<std::string, std::string>> items_after_form(
    const GemmForm& form, std::vector<std::pair<std::string, std::string>> config);

/// What only some kernels compute.
struct FormsOfKernel {
  bool weights = false;  // weights in blocks
  bool experts = false;  // see GemmForm::has_experts
};

/// Every reason why a kernel cannot compute `form`; empty if there is none.
std::vector<std::string> reasons_against_form(const GemmForm& form, FormsOfKernel kernel = {});

/// The product of operands of `type` with the usual accumulator for that type, of at least 32 bits, and a
/// result of the same type. For 8-bit integers and bf16 the result has the type of the accumulator.
inline GemmForm gemm_form(ScalarType type) {
  GemmForm form;
  form.a_type = form.b_type = form.accumulator = form.result = type;
  switch (type) {
    case ScalarType::f16: form.accumulator = ScalarType::f32; break;
    case ScalarType::bf16: form.accumulator = form.result = ScalarType::f32; break;
    case ScalarType::i8: form.accumulator = form.result = ScalarType::i32; break;
    case ScalarType::u8: form.accumulator = form.result = ScalarType::u32; break;
    default: break;
  }
  return form;
}

}  // namespace vkmoye::gen
