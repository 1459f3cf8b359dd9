#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "baselines/baselines.hpp"
#include "baselines/cublas.hpp"
#include "vkmoye/gen/compile.hpp"
#include "workloads/number.hpp"

namespace vkmoye::bench {
namespace {

std::vector<std::byte> bytes_of(const GuardedBuffer& buffer) {
  std::vector<std::byte> bytes(buffer.bytes());
  buffer.read(bytes);
  return bytes;
}

// What a transpose makes of `input`. Not read from dst, where another baseline may have written.
std::vector<std::byte> transposed(const std::vector<std::byte>& input, const Problem& problem) {
  const std::size_t width = size_of(problem.request.type);
  const auto rows = static_cast<std::uint64_t>(problem.size[0]);
  const auto cols = static_cast<std::uint64_t>(problem.size[1]);
  std::vector<std::byte> out(input.size());
  for (std::uint64_t i = 0; i < rows * cols; ++i) {
    const std::uint64_t from = gen::source_index(problem.entry->operation, i, rows, cols);
    std::memcpy(&out[i * width], &input[from * width], width);
  }
  return out;
}

// cuBLAS multiplies by 1, which may make another NaN of a NaN.
void require_equal(ScalarType type, const std::vector<std::byte>& expected,
                   const std::vector<std::byte>& got) {
  if (expected == got) return;
  const std::size_t width = size_of(type);
  if (type != ScalarType::f32 && type != ScalarType::f64) throw Unavailable("its result is wrong");
  for (std::size_t at = 0; at < got.size(); at += width) {
    if (std::memcmp(&expected[at], &got[at], width) == 0) continue;
    const double e = load_number(type, &expected[at]), g = load_number(type, &got[at]);
    if (e == g || (std::isnan(e) && std::isnan(g))) continue;
    throw Unavailable(fmt::format("its element {} is {}, not {}", at / width, g, e));
  }
}

Timing time_cuda(const std::string& name, const BaselineRun& run, const Problem& problem) {
  const ScalarType type = problem.request.type;
  const bool is_copy = name == "cudamemcpy";
  const Cuda cuda;
  const std::vector<std::byte> input = bytes_of(run.buffers[0]);
  const std::vector<std::byte> expected = is_copy ? input : transposed(input, problem);
  const CudaBuffer src(cuda, input);
  const CudaBuffer dst(cuda, std::vector(input.size(), GuardedBuffer::kPoison));
  const auto timed = [&](const std::function<void()>& call) {
    call();
    require_equal(type, expected, dst.read());
    return cuda.time(run.times, call);
  };
  if (is_copy) return timed([&] { cuda.copy(dst.at(), src.at(), input.size()); });
  if (problem.entry->operation == gen::Operation::relayout) {
    throw Unavailable("it transposes matrices only");
  }
  const Cublas cublas(cuda);
  return timed(
      [&] { cublas.transpose(type, problem.size[0], problem.size[1], src.at(), dst.at()); });
}

}  // namespace

Timing time_move_baseline(const std::string& name, const BaselineRun& run, const Problem& problem) {
  const GuardedBuffer &src = run.buffers[0], &dst = run.buffers[1];
  if (name == "cublas" || name == "cudamemcpy") return time_cuda(name, run, problem);
  if (name == "vkcmdcopy") return measure_copy(run.device, src.payload(), dst.payload(), run.times);
  // As many bytes, the fastest copy.
  const gen::ir::Kernel copy = gen::find_kernel("copy/auto")->describe({problem.request.type});
  const Pipeline pipeline = run.device.load(gen::compile(copy));
  std::int64_t rows = 1;
  for (std::size_t i = 0; i + 1 < problem.size.size(); ++i) rows *= problem.size[i];
  const Arguments arguments = {{"rows", rows}, {"cols", problem.size.back()}};
  return vkmoye::measure(
      run.device, run.device.prepare(pipeline, {src.view(), dst.view()}, arguments), run.times);
}

}  // namespace vkmoye::bench
