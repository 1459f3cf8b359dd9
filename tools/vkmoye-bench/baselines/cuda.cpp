// SPDX-License-Identifier: MIT
#include "baselines/cuda.hpp"

#include <fmt/format.h>

namespace vkmoye::bench {
namespace {

enum CopyKind { kToDevice = 1, kToHost = 2, kOnDevice = 3 };

std::vector<std::string> runtime_folders() {
  std::vector<std::string> folders = cuda_folders();
  // The layout of the Python packages: nvidia/cublas/lib and nvidia/cuda_runtime/lib are siblings.
  const std::string cublas = folder_in(kCublasVariable);
  if (!cublas.empty()) folders.insert(folders.begin(), cublas + "/../../cuda_runtime/lib");
  return folders;
}

}  // namespace

const std::vector<std::string>& cuda_folders() {
  static const std::vector<std::string> folders = {
      "/usr/local/cuda/lib64", "/usr/local/cuda/targets/x86_64-linux/lib", "/opt/cuda/lib64"};
  return folders;
}

Cuda::Cuda()
    : library_(kCublasVariable,
               {"libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0", "libcudart.so"},
               runtime_folders()) {
  int (*device_count)(int*) = library_["cudaGetDeviceCount"];
  int count = 0;
  check(device_count(&count), "cudaGetDeviceCount");
  if (count == 0) throw Unavailable("there is no CUDA device");
}

void Cuda::check(int status, const char* call) const {
  if (status == 0) return;
  throw Unavailable(fmt::format("{}: {} ({})", call, error_string_(status), status));
}

void Cuda::copy(void* to, const void* from, std::size_t bytes) const {
  check(memcpy_async_(to, from, bytes, kOnDevice, nullptr), "cudaMemcpyAsync");
}

Timing Cuda::time(const TimeOptions& options, const std::function<void()>& call) const {
  struct Events {
    explicit Events(const Cuda& cuda) : cuda(cuda) {}
    Events(const Events&) = delete;
    Events& operator=(const Events&) = delete;
    ~Events() {
      for (Event event : all) cuda.event_destroy_(event);
    }
    const Cuda& cuda;
    std::vector<Event> all;
  } events(*this);
  return sample(options, Clock::device, [&](std::uint32_t count) {
    while (events.all.size() <= count) {
      check(event_create_(&events.all.emplace_back(nullptr)), "cudaEventCreate");
    }
    check(event_record_(events.all[0], nullptr), "cudaEventRecord");
    for (std::uint32_t i = 1; i <= count; ++i) {
      call();
      check(event_record_(events.all[i], nullptr), "cudaEventRecord");
    }
    check(event_synchronize_(events.all[count]), "cudaEventSynchronize");
    std::vector<double> times;
    for (std::uint32_t i = 1; i <= count; ++i) {
      float milliseconds = 0;
      check(event_elapsed_(&milliseconds, events.all[i - 1], events.all[i]),
            "cudaEventElapsedTime");
      times.push_back(1e3 * static_cast<double>(milliseconds));
    }
    return times;
  });
}

CudaBuffer::CudaBuffer(const Cuda& cuda, std::span<const std::byte> contents)
    : cuda_(cuda), bytes_(contents.size()) {
  cuda_.check(cuda_.malloc_(&memory_, bytes_), "cudaMalloc");
  const int status = cuda_.memcpy_(memory_, contents.data(), bytes_, kToDevice);
  if (status != 0) cuda_.free_(memory_);
  cuda_.check(status, "cudaMemcpy");
}

CudaBuffer::~CudaBuffer() { cuda_.free_(memory_); }

std::vector<std::byte> CudaBuffer::read() const {
  std::vector<std::byte> out(bytes_);
  cuda_.check(cuda_.memcpy_(out.data(), memory_, bytes_, kToHost), "cudaMemcpy");
  return out;
}

}  // namespace vkmoye::bench
