// SPDX-License-Identifier: MIT
#pragma once
// What a matrix product is asked to be, apart from its sizes: each value is baked into the kernel.
//
//   C(M,N) = epilogue(alpha * A(M,K) * B(N,K)^T + beta * C)

#include <string>
#include <utility>
#include <vector>

#include "vkmoye/contract/scalar_type.hpp"
#include "vkmoye/gen/kernels/products/form/epilogue.hpp"

namespace vkmoye::gen {

struct GemmForm {
  ScalarType a_type = ScalarType::f32, b_type = ScalarType::f32;  // of A and of B
  ScalarType accumulator = ScalarType::f32;  // of the sums over k, alpha and beta
  ScalarType result = ScalarType::f32;       // of C
  bool a_k_contiguous = true;                // else m is
  bool b_k_contiguous = true;                // else n is
  bool beta = false;                         // C is read; else its old values do not matter
  bool batched = false;
  bool split_k = false;  // C is a matrix of sums for each of `slices` slices of k, without epilogue
  GemmEpilogue epilogue = {};  // steps before C is rounded; none: C as it is
};

/// In which matrix units multiply: the narrower type of A's and B's, to which the other one is rounded.
inline ScalarType unit_type(ScalarType a, ScalarType b) { return size_of(b) < size_of(a) ? b : a; }
inline ScalarType unit_type(const GemmForm& form) { return unit_type(form.a_type, form.b_type); }

/// Whether A of type `a` is multiplied by B of type `b`: of one type, or two of f16, bf16 and f32.
bool are_multiplied(ScalarType a, ScalarType b);

/// "f16"; of two types "f32*f16".
std::string operands_text(ScalarType a, ScalarType b);

/// Of alpha and beta: that of the sums, 32 bits or more.
constexpr ScalarType factor_type(const GemmForm& form) {
  return form.accumulator == ScalarType::f16 ? ScalarType::f32 : form.accumulator;
}

/// "f32*f16,f32,f16 a=k b=n beta batch epilogue=bias,relu"; slices are "split-k".
std::string form_text(const GemmForm& form);

/// Name and value of the form, then `config`'s: what the first line of a product says.
std::vector<std::pair<std::string, std::string>> items_behind_form(
    const GemmForm& form, std::vector<std::pair<std::string, std::string>> config);

/// Every reason why no kernel computes `form`, whatever it is made of. Empty: fine.
std::vector<std::string> reasons_against_form(const GemmForm& form);

/// The product of operands of `type` with the accumulator usual for it, 32 bits or more, and a
/// result of the same type; of types that hold no sums or that no shader computes with, integers of
/// 8 bits and bf16, that of the accumulator.
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
