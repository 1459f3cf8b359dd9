// SPDX-License-Identifier: MIT
#pragma once
// Vendor libraries as baselines: opened at run time if they are installed, and never linked.
//
//   CUDA        the part of its runtime that the baselines need; prototypes and values follow NVIDIA's references,
//               "CUDA Runtime API" and "cuBLAS Library"
//   cuBLAS      geam for transposes, gemm for products, without rounding operands to smaller types
//   OpenBLAS    or another implementation of CBLAS, on the host

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "devices/execution.hpp"
#include "timing/sampling.hpp"
#include "vkmoye/gen/kernels/products/gemm_call.hpp"
#include "vkmoye/runtime/timing.hpp"

namespace vkmoye::bench {

/// Stays open until the end of the program: these libraries cannot safely be closed.
class Library {
 public:
  /// Opens the first of `sonames` that is found in the folder that the environment variable `variable` names (it may
  /// also name the file), by the loader, or in `folders`. Throws Unavailable.
  Library(const char* variable, const std::vector<std::string>& sonames,
          const std::vector<std::string>& folders);

  /// A function of the library, which becomes a pointer of any type.
  struct Symbol {
    void* address;
    template <class Function>
    operator Function*() const {
      return reinterpret_cast<Function*>(address);
    }
  };
  /// The function `name`. Throws Unavailable.
  Symbol operator[](const char* name) const;

 private:
  void* handle_ = nullptr;
  std::string path_;
};

/// Throws Unavailable, naming `library`, if `value` of the argument `what` does not fit.
int to_blas_int(std::int64_t value, const char* what, const char* library);

/// The folder that the environment variable `variable` names; "" if it is not set.
std::string folder_in(const char* variable);

class Cuda {
 public:
  /// Throws Unavailable if there is no libcudart or no CUDA device.
  Cuda();

  /// Samples `call`, back to back, between events, according to `options`. In microseconds.
  Timing time(const TimeOptions& options, const std::function<void()>& call) const;

  /// Copies from device to device; does not wait.
  void copy(void* to, const void* from, std::size_t bytes) const;

 private:
  friend class CudaBuffer;
  using Event = void*;
  void check(int status, const char* call) const;

  Library library_;
  int (*malloc_)(void**, std::size_t) = library_["cudaMalloc"];
  int (*free_)(void*) = library_["cudaFree"];
  int (*memcpy_)(void*, const void*, std::size_t, int) = library_["cudaMemcpy"];
  int (*memcpy_async_)(void*, const void*, std::size_t, int, void*) = library_["cudaMemcpyAsync"];
  int (*event_create_)(Event*) = library_["cudaEventCreate"];
  int (*event_destroy_)(Event) = library_["cudaEventDestroy"];
  int (*event_record_)(Event, void*) = library_["cudaEventRecord"];
  int (*event_synchronize_)(Event) = library_["cudaEventSynchronize"];
  int (*event_elapsed_)(float*, Event, Event) = library_["cudaEventElapsedTime"];
  const char* (*error_string_)(int) = library_["cudaGetErrorString"];
};

/// Memory on the CUDA device, freed by the destructor. Move-only. Must not outlive its Cuda.
class CudaBuffer {
 public:
  CudaBuffer(const Cuda& cuda, std::span<const std::byte> contents);
  CudaBuffer(const CudaBuffer&) = delete;
  CudaBuffer& operator=(const CudaBuffer&) = delete;
  ~CudaBuffer();

  /// The device address of the byte at `offset`.
  void* at(std::uint64_t offset = 0) const { return static_cast<std::byte*>(memory_) + offset; }
  /// Waits for all work on the device.
  std::vector<std::byte> read() const;

 private:
  const Cuda& cuda_;
  std::size_t bytes_;
  void* memory_ = nullptr;
};

/// Where CUDA libraries may be installed in addition to the loader's paths.
const std::vector<std::string>& cuda_folders();

/// The environment variable for the folder or the file of libcublas, if the loader does not find it.
inline constexpr const char* kCublasVariable = "VKMOYE_CUBLAS";

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
