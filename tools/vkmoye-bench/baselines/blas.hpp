// SPDX-License-Identifier: MIT
#pragma once
// Vendor libraries as baselines. cuBLAS: geam for transposes, gemm for products, without rounding operands to smaller
// types. OpenBLAS, or another implementation of CBLAS, on the host.

#include <cstddef>
#include <span>

#include "baselines/cuda.hpp"
#include "baselines/library.hpp"
#include "timing/sampling.hpp"
#include "vkmoye/gen/kernels/products/gemm_call.hpp"

namespace vkmoye::bench {

class Cublas {
 public:
  /// Throws Unavailable.
  explicit Cublas(const Cuda& cuda);
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;
  ~Cublas();

  /// dst (cols, rows) = src (rows, cols) transposed, both row-major. Does not wait. Throws Unavailable for types
  /// other than f32 and f64.
  void transpose(ScalarType type, std::int64_t rows, std::int64_t cols, const void* src,
                 void* dst) const;

  /// Computes the product; A, B and C point to the starts of their buffers. Does not wait. Throws Unavailable for
  /// products that cuBLAS does not support.
  void gemm(const gen::GemmCall& call, const std::vector<std::int64_t>& size, const CudaBuffer& A,
            const CudaBuffer& B, const CudaBuffer& C) const;

 private:
  using Handle = void*;
  void check(int status, const char* call) const;

  Library library_;
  Handle handle_ = nullptr;
  int (*destroy_)(Handle) = library_["cublasDestroy_v2"];
  int (*sgeam_)(Handle, int, int, int, int, const float*, const float*, int, const float*,
                const float*, int, float*, int) = library_["cublasSgeam"];
  int (*dgeam_)(Handle, int, int, int, int, const double*, const double*, int, const double*,
                const double*, int, double*, int) = library_["cublasDgeam"];
  int (*gemm_)(Handle, int, int, int, int, int, const void*, const void*, int, int, const void*,
               int, int, const void*, void*, int, int, int, int) = library_["cublasGemmEx"];
  int (*gemm_batch_)(Handle, int, int, int, int, int, const void*, const void*, int, int, long long,
                     const void*, int, int, long long, const void*, void*, int, int, long long, int,
                     int, int) = library_["cublasGemmStridedBatchedEx"];
};

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
