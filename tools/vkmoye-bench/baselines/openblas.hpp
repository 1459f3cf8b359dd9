// SPDX-License-Identifier: MIT
#pragma once
// OpenBLAS, or another implementation of CBLAS, as a baseline on the host.

#include <cstddef>
#include <span>

#include "baselines/library.hpp"
#include "timing/sampling.hpp"
#include "vkmoye/gen/kernels/products/gemm_call.hpp"

namespace vkmoye::bench {

class OpenBlas {
 public:
  /// Throws Unavailable.
  OpenBlas();

  /// Computes the product; A, B and C are their whole buffers. Throws Unavailable for types other than f32 and f64.
  void gemm(const gen::GemmCall& call, const std::vector<std::int64_t>& size,
            std::span<const std::byte> A, std::span<const std::byte> B,
            std::span<std::byte> C) const;

 private:
  Library library_;
  void (*sgemm_)(int, int, int, int, int, int, float, const float*, int, const float*, int, float,
                 float*, int) = library_["cblas_sgemm"];
  void (*dgemm_)(int, int, int, int, int, int, double, const double*, int, const double*, int,
                 double, double*, int) = library_["cblas_dgemm"];
};

}  // namespace vkmoye::bench
