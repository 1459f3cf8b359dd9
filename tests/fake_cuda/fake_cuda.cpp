// SPDX-License-Identifier: MIT
// Replaces libcudart and libcublas on machines without CUDA: the same symbols, computed naively on
// the host. VKMOYE_FAKE_CUDA=wrong makes its products and transposes wrong, =none takes its device.

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

using Time = std::chrono::steady_clock::time_point;

bool is(const char* mode) {
  const char* value = std::getenv("VKMOYE_FAKE_CUDA");
  return value != nullptr && std::string(value) == mode;
}

enum DataType { kFloat = 0, kDouble = 1 };
enum ComputeType { kComputeFloat = 68, kComputeDouble = 70 };
constexpr int kNotSupported = 15;

// Column-major: C(i,j) = alpha * sum over l of op(A)(i,l) * op(B)(l,j) + beta * C(i,j).
template <class T>
void multiply(int transposed_a, int transposed_b, int m, int n, int k, const void* alpha,
              const void* a, int lda, const void* b, int ldb, const void* beta, void* c, int ldc) {
  const auto *A = static_cast<const T*>(a), *B = static_cast<const T*>(b);
  const T x = *static_cast<const T*>(alpha), y = *static_cast<const T*>(beta);
  auto* C = static_cast<T*>(c);
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      T sum = is("wrong") ? T{9} : T{0};
      for (int l = 0; l < k; ++l) {
        sum += A[transposed_a ? l + i * lda : i + l * lda] *
               B[transposed_b ? j + l * ldb : l + j * ldb];
      }
      T& out = C[i + j * ldc];
      out = y == 0 ? x * sum : x * sum + y * out;
    }
  }
}

// C(i,j) = alpha * A(j,i)
template <class T>
int transpose(int transposed, int m, int n, const T* alpha, const T* a, int lda, T* c, int ldc) {
  if (!transposed) return kNotSupported;
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) c[i + j * ldc] = *alpha * a[is("wrong") ? 0 : j + i * lda];
  }
  return 0;
}

}  // namespace

extern "C" {

int cudaGetDeviceCount(int* count) {
  *count = is("none") ? 0 : 1;
  return 0;
}
const char* cudaGetErrorString(int) { return "fake error"; }
int cudaMalloc(void** memory, std::size_t bytes) {
  *memory = std::malloc(bytes);
  return *memory == nullptr ? 2 : 0;
}
int cudaFree(void* memory) {
  std::free(memory);
  return 0;
}
int cudaMemcpy(void* to, const void* from, std::size_t bytes, int) {
  std::memcpy(to, from, bytes);
  return 0;
}
int cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, int, void*) {
  std::memcpy(to, from, bytes);
  return 0;
}
int cudaEventCreate(void** event) {
  *event = new Time;
  return 0;
}
int cudaEventDestroy(void* event) {
  delete static_cast<Time*>(event);
  return 0;
}
int cudaEventRecord(void* event, void*) {
  *static_cast<Time*>(event) = std::chrono::steady_clock::now();
  return 0;
}
int cudaEventSynchronize(void*) { return 0; }
int cudaEventElapsedTime(float* milliseconds, void* from, void* to) {
  const std::chrono::duration<float, std::milli> time =
      *static_cast<Time*>(to) - *static_cast<Time*>(from);
  *milliseconds = time.count();
  return 0;
}

int cublasCreate_v2(void** handle) {
  *handle = handle;
  return 0;
}
int cublasDestroy_v2(void*) { return 0; }

int cublasSgeam(void*, int transposed, int, int m, int n, const float* alpha, const float* a,
                int lda, const float*, const float*, int, float* c, int ldc) {
  return transpose(transposed, m, n, alpha, a, lda, c, ldc);
}
int cublasDgeam(void*, int transposed, int, int m, int n, const double* alpha, const double* a,
                int lda, const double*, const double*, int, double* c, int ldc) {
  return transpose(transposed, m, n, alpha, a, lda, c, ldc);
}

int cublasGemmEx(void*, int transposed_a, int transposed_b, int m, int n, int k, const void* alpha,
                 const void* a, int type_a, int lda, const void* b, int type_b, int ldb,
                 const void* beta, void* c, int type_c, int ldc, int compute, int) {
  if (type_a != type_b || type_b != type_c) return kNotSupported;
  if (type_a == kFloat && compute == kComputeFloat) {
    multiply<float>(transposed_a, transposed_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  } else if (type_a == kDouble && compute == kComputeDouble) {
    multiply<double>(transposed_a, transposed_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  } else {
    return kNotSupported;
  }
  return 0;
}

int cublasGemmStridedBatchedEx(void* handle, int transposed_a, int transposed_b, int m, int n,
                               int k, const void* alpha, const void* a, int type_a, int lda,
                               long long stride_a, const void* b, int type_b, int ldb,
                               long long stride_b, const void* beta, void* c, int type_c, int ldc,
                               long long stride_c, int batch, int compute, int algorithm) {
  const int width = type_a == kDouble ? 8 : 4;
  for (long long i = 0; i < batch; ++i) {
    const int status =
        cublasGemmEx(handle, transposed_a, transposed_b, m, n, k, alpha,
                     static_cast<const char*>(a) + i * stride_a * width, type_a, lda,
                     static_cast<const char*>(b) + i * stride_b * width, type_b, ldb, beta,
                     static_cast<char*>(c) + i * stride_c * width, type_c, ldc, compute, algorithm);
    if (status != 0) return status;
  }
  return 0;
}

}  // extern "C"
