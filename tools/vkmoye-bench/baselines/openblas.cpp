// SPDX-License-Identifier: MIT
#include "baselines/openblas.hpp"

#include <fmt/format.h>

namespace vkmoye::bench {
namespace {

enum CblasOrder { kCblasRows = 101, kCblasColumns = 102 };               // CBLAS_ORDER
enum CblasTransposition { kCblasAsItIs = 111, kCblasTransposed = 112 };  // CBLAS_TRANSPOSE

int to_cblas_int(std::int64_t value, const char* what) {
  return to_blas_int(value, what, "OpenBLAS");
}

template <class T, class Function>
void multiply(Function* function, const gen::GemmCall& call, const std::vector<std::int64_t>& size,
              const void* a, const void* b, void* c) {
  const auto [A, B, C] = matrices_of(call, size);
  // CBLAS multiplies A(m,k) by B(k,n), row-major: no transposition if the second index is contiguous.
  const bool rows = call.c_n_contiguous;
  const int a_as = A.second_contiguous == rows ? kCblasAsItIs : kCblasTransposed;
  const int b_as = B.second_contiguous == rows ? kCblasTransposed : kCblasAsItIs;
  for (std::int64_t batch = 0; batch < call.batch; ++batch) {
    function(rows ? kCblasRows : kCblasColumns, a_as, b_as, to_cblas_int(size[0], "m"),
             to_cblas_int(size[1], "n"), to_cblas_int(size[2], "k"), static_cast<T>(call.alpha),
             static_cast<const T*>(a) + A.at(batch, 0, 0), to_cblas_int(A.leading, "lda"),
             static_cast<const T*>(b) + B.at(batch, 0, 0), to_cblas_int(B.leading, "ldb"),
             static_cast<T>(call.beta), static_cast<T*>(c) + C.at(batch, 0, 0),
             to_cblas_int(C.leading, "ldc"));
  }
}

}  // namespace

OpenBlas::OpenBlas()
    : library_("VKMOYE_OPENBLAS", {"libopenblas.so.0", "libopenblas.so"},
               {"/usr/lib/x86_64-linux-gnu/openblas-pthread", "/usr/lib64", "/opt/OpenBLAS/lib"}) {}

void OpenBlas::gemm(const gen::GemmCall& call, const std::vector<std::int64_t>& size,
                    std::span<const std::byte> A, std::span<const std::byte> B,
                    std::span<std::byte> C) const {
  const auto all = [&](ScalarType type) {
    return call.a_type == type && call.b_type == type && call.accumulator == type &&
           call.result == type;
  };
  if (all(ScalarType::f32)) {
    return multiply<float>(sgemm_, call, size, A.data(), B.data(), C.data());
  }
  if (all(ScalarType::f64)) {
    return multiply<double>(dgemm_, call, size, A.data(), B.data(), C.data());
  }
  throw Unavailable(fmt::format("OpenBLAS multiplies f32 and f64, not {},{},{}",
                                gen::operands_text(call.a_type, call.b_type),
                                to_string(call.accumulator), to_string(call.result)));
}

}  // namespace vkmoye::bench
