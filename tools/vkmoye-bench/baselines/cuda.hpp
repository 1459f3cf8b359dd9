// SPDX-License-Identifier: MIT
#pragma once
// As much of CUDA's runtime as baselines need. Prototypes and values are those of NVIDIA's "CUDA
// Runtime API" and "cuBLAS Library" references.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "baselines/library.hpp"
#include "vkmoye/runtime/timing.hpp"
#include "workloads/timing/sampling.hpp"

namespace vkmoye::bench {

class Cuda {
 public:
  /// Throws Unavailable where there is no libcudart or no CUDA device.
  Cuda();

  /// Microseconds between the events around each of `calls`, back to back. Samples as `options` say.
  Timing time(const TimeOptions& options, const std::function<void()>& call) const;

  /// Device to device; does not wait.
  void copy(void* to, const void* from, std::size_t bytes) const;

 private:
  friend class CudaBuffer;
  using Event = void*;
  void check(int status, const char* call) const;

  Library library_;
  int (*malloc_)(void**, std::size_t) = nullptr;
  int (*free_)(void*) = nullptr;
  int (*memcpy_)(void*, const void*, std::size_t, int) = nullptr;
  int (*memcpy_async_)(void*, const void*, std::size_t, int, void*) = nullptr;
  int (*event_create_)(Event*) = nullptr;
  int (*event_destroy_)(Event) = nullptr;
  int (*event_record_)(Event, void*) = nullptr;
  int (*event_synchronize_)(Event) = nullptr;
  int (*event_elapsed_)(float*, Event, Event) = nullptr;
  const char* (*error_string_)(int) = nullptr;
};

/// Memory on the CUDA device. Move-only; freed with it. Must not outlive its Cuda.
class CudaBuffer {
 public:
  CudaBuffer(const Cuda& cuda, std::span<const std::byte> contents);
  CudaBuffer(const CudaBuffer&) = delete;
  CudaBuffer& operator=(const CudaBuffer&) = delete;
  ~CudaBuffer();

  /// The byte at `offset`, on the device.
  void* at(std::uint64_t offset = 0) const { return static_cast<std::byte*>(memory_) + offset; }
  /// Waits for all work.
  std::vector<std::byte> read() const;

 private:
  const Cuda& cuda_;
  std::size_t bytes_;
  void* memory_ = nullptr;
};

/// Where CUDA's libraries stand beside where the loader looks.
const std::vector<std::string>& cuda_folders();

/// Names the folder, or the file, of libcublas where the loader does not find it.
inline constexpr const char* kCublasVariable = "VKMOYE_CUBLAS";

}  // namespace vkmoye::bench
