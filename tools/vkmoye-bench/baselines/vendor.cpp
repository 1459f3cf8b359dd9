// SPDX-License-Identifier: MIT
#include "baselines/vendor.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>

#include "vkmoye/base/path_text.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/numbers/number.hpp"
#include "vkmoye/system/environment.hpp"
#include "vkmoye/system/library.hpp"

namespace vkmoye::bench {

std::string folder_in(const char* variable) {
  const std::filesystem::path path = system::path_variable(variable);
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) ? path_text(path.parent_path())
                                                         : path_text(path);
}

Library::Library(const char* variable, const std::vector<std::string>& sonames,
                 const std::vector<std::string>& folders) {
  const std::string own = folder_in(variable);
  std::vector<std::string> places = folders;
  places.insert(places.begin(), "");
  if (!own.empty()) places.insert(places.begin(), own);
  std::string damaged;  // the file exists but cannot be opened
  for (const std::string& place : places) {
    for (const std::string& soname : sonames) {
      path_ = place.empty() ? soname : place + "/" + soname;
      std::string why;
      handle_ = system::open_library(path_.c_str(), why);
      if (handle_ != nullptr) return;
      std::error_code ignored;
      if (!place.empty() && std::filesystem::exists(path_of(path_), ignored)) {
        damaged += fmt::format("; {}", why);
      }
    }
  }
  throw Unavailable(fmt::format("none of {} was found: neither by the loader nor in {} ({}={}){}",
                                join(sonames, ", "), join(folders, ", "), variable,
                                own.empty() ? "not set" : own, damaged));
}

Library::Symbol Library::operator[](const char* name) const {
  if (void* found = system::symbol_in(handle_, name)) return {found};
  throw Unavailable(fmt::format("{} has no {}", path_, name));
}

int to_blas_int(std::int64_t value, const char* what, const char* library) {
  if (value <= std::numeric_limits<int>::max()) return static_cast<int>(value);
  throw Unavailable(
      fmt::format("{} = {} does not fit the 32-bit integers of {}", what, value, library));
}

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

namespace {

enum Transposition { kAsItIs = 0, kTransposed = 1 };  // cublasOperation_t
constexpr int kDefaultAlgorithm = -1;                 // cublasGemmAlgo_t

// cudaDataType_t
int data_type(ScalarType type) {
  switch (type) {
    case ScalarType::f32: return 0;
    case ScalarType::f64: return 1;
    case ScalarType::f16: return 2;
    case ScalarType::i8: return 3;
    case ScalarType::u8: return 8;
    case ScalarType::i32: return 10;
    case ScalarType::u32: return 12;
    case ScalarType::bf16: return 14;
    default: throw Unavailable(fmt::format("cuBLAS does not multiply {}", to_string(type)));
  }
}

// cublasComputeType_t, without the types that round operands to tf32 or less.
std::optional<int> compute_type(ScalarType accumulator) {
  switch (accumulator) {
    case ScalarType::f16: return 64;
    case ScalarType::f32: return 68;
    case ScalarType::f64: return 70;
    case ScalarType::i32: return 72;
    default: return std::nullopt;
  }
}

const char* status_name(int status) {
  switch (status) {
    case 1: return "not initialized";
    case 3: return "allocation failed";
    case 7: return "invalid value";
    case 8: return "architecture mismatch";
    case 11: return "mapping error";
    case 13: return "execution failed";
    case 14: return "internal error";
    case 15: return "not supported";
    default: return "unknown";
  }
}

int to_int(std::int64_t value, const char* what) { return to_blas_int(value, what, "cuBLAS"); }

}  // namespace

Cublas::Cublas(const Cuda&)
    : library_(kCublasVariable,
               {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11", "libcublas.so"},
               cuda_folders()) {
  int (*create)(Handle*) = library_["cublasCreate_v2"];
  check(create(&handle_), "cublasCreate");
}

Cublas::~Cublas() { destroy_(handle_); }

void Cublas::check(int status, const char* call) const {
  if (status == 0) return;
  throw Unavailable(fmt::format("{}: {} (status {})", call, status_name(status), status));
}

// cuBLAS is column-major, so that to it src is (cols, rows) and dst is (rows, cols).
void Cublas::transpose(ScalarType type, std::int64_t rows, std::int64_t cols, const void* src,
                       void* dst) const {
  const int m = to_int(rows, "rows"), n = to_int(cols, "cols");
  const auto geam = [&]<class T>(auto* function, const char* name, T one, T zero) {
    auto* to = static_cast<T*>(dst);
    check(function(handle_, kTransposed, kAsItIs, m, n, &one, static_cast<const T*>(src), n, &zero,
                   to, m, to, m),
          name);
  };
  if (type == ScalarType::f32) return geam(sgeam_, "cublasSgeam", 1.0f, 0.0f);
  if (type == ScalarType::f64) return geam(dgeam_, "cublasDgeam", 1.0, 0.0);
  throw Unavailable(fmt::format("cuBLAS transposes f32 and f64, not {}", to_string(type)));
}

// cuBLAS is column-major, so that to it row-major arrays are transposed. C with n contiguous is computed as
// C^T = B * A^T, C with m contiguous as C = A * B^T.
void Cublas::gemm(const gen::GemmCall& call, const std::vector<std::int64_t>& size,
                  const CudaBuffer& A_buffer, const CudaBuffer& B_buffer,
                  const CudaBuffer& C_buffer) const {
  const auto compute = compute_type(call.accumulator);
  if (!compute) {
    throw Unavailable(fmt::format("cuBLAS does not accumulate in {}", to_string(call.accumulator)));
  }
  const auto [A, B, C] = matrices_of(call, size);
  const bool exchanged = call.c_n_contiguous;
  const gen::GemmArray& first = exchanged ? B : A;
  const gen::GemmArray& second = exchanged ? A : B;
  // Operands with contiguous rows of k have columns of k to cuBLAS, which multiplies (m, k) by (k, n).
  const int first_as = first.second_contiguous ? kTransposed : kAsItIs;
  const int second_as = second.second_contiguous ? kAsItIs : kTransposed;
  const int m = to_int(exchanged ? size[1] : size[0], "m");
  const int n = to_int(exchanged ? size[0] : size[1], "n");
  const int k = to_int(size[2], "k");
  const auto start = [](const CudaBuffer& buffer, const gen::GemmArray& matrix) {
    return buffer.at(static_cast<std::uint64_t>(matrix.offset) * size_of(matrix.type));
  };
  void* const a = start(exchanged ? B_buffer : A_buffer, first);
  void* const b = start(exchanged ? A_buffer : B_buffer, second);
  void* const c = start(C_buffer, C);
  std::array<std::byte, 8> alpha = {}, beta = {};
  gen::store_number(call.accumulator, call.alpha, alpha.data());
  gen::store_number(call.accumulator, call.beta, beta.data());
  if (call.a_type != call.b_type) {
    throw Unavailable(fmt::format("cuBLAS needs operands of the same type, not {}",
                                  gen::operands_text(call.a_type, call.b_type)));
  }
  const int lda = to_int(first.leading, "lda"), ldb = to_int(second.leading, "ldb");
  const int ldc = to_int(C.leading, "ldc");
  const int type = data_type(call.a_type), result = data_type(call.result);
  if (call.batch == 1) {
    check(gemm_(handle_, first_as, second_as, m, n, k, alpha.data(), a, type, lda, b, type, ldb,
                beta.data(), c, result, ldc, *compute, kDefaultAlgorithm),
          "cublasGemmEx");
  } else {
    check(gemm_batch_(handle_, first_as, second_as, m, n, k, alpha.data(), a, type, lda,
                      first.stride, b, type, ldb, second.stride, beta.data(), c, result, ldc,
                      C.stride, to_int(call.batch, "batch"), *compute, kDefaultAlgorithm),
          "cublasGemmStridedBatchedEx");
  }
}

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
