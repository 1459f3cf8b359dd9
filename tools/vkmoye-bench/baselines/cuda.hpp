// SPDX-License-Identifier: MIT
#pragma once
// The part of the CUDA runtime that the baselines need. Prototypes and values follow NVIDIA's "CUDA Runtime API" and
// "cuBLAS Library" references.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "baselines/library.hpp"
#include "timing/sampling.hpp"
#include "vkmoye/runtime/timing.hpp"

namespace vkmoye::bench {

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

}  // namespace vkmoye::bench
