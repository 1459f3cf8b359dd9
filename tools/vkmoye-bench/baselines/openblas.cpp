// SPDX-License-Identifier: MIT
#include "baselines/openblas.hpp"

#include <fmt/format.h>

#include <limits>

namespace vkmoye::bench {
namespace {

enum CblasOrder { kCblasRows = 101, kCblasColumns = 102 };               // CBLAS_ORDER
enum CblasTransposition { kCblasAsItIs = 111, kCblasTransposed = 112 };  // CBLAS_TRANSPOSE

int to_cblas_int(std::int64_t value, const char* what) {
  if (value <= std::numeric_limits<int>::max()) return static_cast<int>(value);
  throw Unavailable(fmt::format("{} = {} is more than OpenBLAS counts to", what, value));
}

template <class T, class Function>
void multiply(Function* function, const GemmProblem& problem, const Extents& size, const void* a,
              const void* b, void* c) {
  const auto [A, B, C] = matrices_of(problem, size);
  // A(m,k) and, to CBLAS, B(k,n): as they are where the second index is contiguous among rows.
  const bool rows = problem.c_n_contiguous;
  const int a_as = A.second_contiguous == rows ? kCblasAsItIs : kCblasTransposed;
  const int b_as = B.second_contiguous == rows ? kCblasTransposed : kCblasAsItIs;
  for (std::int64_t batch = 0; batch < problem.batch; ++batch) {
    function(rows ? kCblasRows : kCblasColumns, a_as, b_as, to_cblas_int(size[0], "m"),
             to_cblas_int(size[1], "n"), to_cblas_int(size[2], "k"), static_cast<T>(problem.alpha),
             static_cast<const T*>(a) + A.at(batch, 0, 0), to_cblas_int(A.leading, "lda"),
             static_cast<const T*>(b) + B.at(batch, 0, 0), to_cblas_int(B.leading, "ldb"),
             static_cast<T>(problem.beta), static_cast<T*>(c) + C.at(batch, 0, 0),
             to_cblas_int(C.leading, "ldc"));
  }
}

}  // namespace

OpenBlas::OpenBlas()
    : library_("VKMOYE_OPENBLAS", {"libopenblas.so.0", "libopenblas.so"},
               {"/usr/lib/x86_64-linux-gnu/openblas-pthread", "/usr/lib64", "/opt/OpenBLAS/lib"}) {
  library_.load("cblas_sgemm", sgemm_);
  library_.load("cblas_dgemm", dgemm_);
}

void OpenBlas::gemm(const GemmProblem& problem, const Extents& size, std::span<const std::byte> A,
                    std::span<const std::byte> B, std::span<std::byte> C) const {
  const auto all = [&](ScalarType type) {
    return problem.a_type == type && problem.b_type == type && problem.accumulator == type &&
           problem.result == type;
  };
  if (all(ScalarType::f32)) {
    return multiply<float>(sgemm_, problem, size, A.data(), B.data(), C.data());
  }
  if (all(ScalarType::f64)) {
    return multiply<double>(dgemm_, problem, size, A.data(), B.data(), C.data());
  }
  throw Unavailable(fmt::format("OpenBLAS multiplies f32 and f64, not {}", problem.type_text()));
}

}  // namespace vkmoye::bench
