#pragma once
// Which matrix product is asked for, apart from its sizes.

#include "vkmoye/contract/scalar_type.hpp"

namespace vkmoye::gen {

/// C(m, n) = alpha * sum over k of A(m, k) * B(n, k) + beta * C(m, n).
struct GemmForm {
  ScalarType operand = ScalarType::f32;      // of A and B
  ScalarType accumulator = ScalarType::f32;  // of the sum, and of alpha and beta
  ScalarType result = ScalarType::f32;       // of C
  bool a_k_contiguous = true;                // else m is: A is stored as (K, M) rows
  bool b_k_contiguous = true;                // else n is: B is stored as (K, N) rows
  bool beta = false;                         // C is read
  bool batched = false;                      // several products, a stride apart
};

}  // namespace vkmoye::gen
