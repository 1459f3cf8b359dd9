#include "workloads/gemm_workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "baselines/baselines.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "workloads/gemm_check.hpp"
#include "workloads/gemm_data.hpp"

namespace vkmoye::bench {
namespace {

class Gemm : public Workload {
 public:
  explicit Gemm(const Problem& problem)
      : whole_(problem),
        problem_(problem.gemm),
        size_(problem.size),
        matrices_(matrices_of(problem.gemm, problem.size)),
        order_(problem.gemm.c_n_contiguous ? std::array{0, 1, 2} : std::array{1, 0, 2}) {}

  std::string type_text() const override { return problem_.type_text(); }
  std::vector<std::string> words() const override {
    std::vector<std::string> words = {"--size", to_string(size_)};
    for (std::string& word : gemm_words(problem_)) words.push_back(std::move(word));
    return words;
  }

  std::vector<Array> arrays() const override {
    std::vector<Array> arrays;
    for (const int which : order_) {
      const Matrix& matrix = matrix_at(which);
      const std::uint64_t width = size_of(matrix.type);
      Array& array = arrays.emplace_back();
      array.name = matrix.name;
      array.bytes = matrix.span() * width;
      array.offset = static_cast<std::uint64_t>(matrix.offset) * width;
      if (which != 2 || problem_.beta != 0) array.input = static_cast<std::size_t>(which);
    }
    return arrays;
  }
  Arguments arguments() const override { return gemm_arguments(problem_, size_); }

  double bytes() const override {
    double bytes = 0;
    for (const Matrix& matrix : matrices_) {
      const double elements = static_cast<double>(matrix.rows) * static_cast<double>(matrix.cols) *
                              static_cast<double>(matrix.stride == 0 ? 1 : matrix.batch);
      const int passes = matrix.name == 'C' && problem_.beta != 0 ? 2 : 1;
      bytes += passes * elements * static_cast<double>(size_of(matrix.type));
    }
    return bytes;
  }
  double flops() const override { return 2 * products(); }
  bool is_checked_in_full() const override { return products() <= 0x1p29; }

  void fill(Buffers& buffers, std::uint64_t seed) const override {
    const GemmData data(problem_, size_, seed);
    for (std::size_t i = 0; i < buffers.size(); ++i) buffers[i].write(data.bytes(order_[i]));
  }

  Verdict check(const Buffers& buffers, Verify verify, std::uint64_t seed) const override {
    std::vector<std::byte> result(buffers.back().bytes());
    buffers.back().read(result);
    return check_gemm(GemmData(problem_, size_, seed), problem_, size_, result, verify, seed);
  }

  Timing time_baseline(const std::string& name, const BaselineRun& run) const override {
    return time_gemm_baseline(name, run, whole_);
  }

  std::vector<std::int64_t> result_shape() const override {
    const Matrix& C = matrix_at(2);
    if (C.batch > 1 || problem_.keeps_batch) return {C.batch, C.rows, C.cols};
    return {C.rows, C.cols};
  }
  ScalarType result_type() const override { return problem_.result; }

 private:
  const Matrix& matrix_at(int which) const { return matrices_[static_cast<std::size_t>(which)]; }
  double products() const {
    return static_cast<double>(size_[0]) * static_cast<double>(size_[1]) *
           static_cast<double>(size_[2]) * static_cast<double>(problem_.batch);
  }

  Problem whole_;
  GemmProblem problem_;
  Extents size_;
  std::array<Matrix, 3> matrices_;  // A, B, C
  std::array<int, 3> order_;        // of the kernel's bindings
};

// Rows, columns and matrices of a given array.
struct Given {
  std::int64_t batch, rows, cols;
  bool is_batch;
};

Given read_shape(const GivenArray& array) {
  const auto& shape = array.shape;
  if (shape.size() != 2 && shape.size() != 3) {
    throw ArgumentError(fmt::format("{}: has {} dimension{}, a product takes 2, or 3 for a batch",
                                    array.name, shape.size(), shape.size() == 1 ? "" : "s"));
  }
  const bool is_batch = shape.size() == 3;
  return {is_batch ? shape[0] : 1, shape[shape.size() - 2], shape.back(), is_batch};
}

}  // namespace

std::unique_ptr<Workload> make_gemm(const Problem& problem) {
  return std::make_unique<Gemm>(problem);
}

Problem gemm_of(const gen::KernelEntry& entry, const gen::Options& config,
                const GemmOptions& options, const std::string& type,
                const std::vector<GivenArray>& given) {
  const bool reads_c = options.beta() != 0;
  if (given.size() != (reads_c ? 3u : 2u)) {
    throw ArgumentError(fmt::format("{} takes {}, got {}: --beta is {}", entry.name,
                                    reads_c ? "three arrays, A B C" : "two arrays, A B",
                                    given.size(), options.beta()));
  }
  GemmProblem problem =
      options.problem_of(type.empty() ? std::string(to_string(given[0].type)) : type);
  const Given a = read_shape(given[0]), b = read_shape(given[1]);
  const std::int64_t m = problem.a_k_contiguous ? a.rows : a.cols;
  const std::int64_t n = problem.b_k_contiguous ? b.rows : b.cols;
  const std::int64_t k = problem.a_k_contiguous ? a.cols : a.rows;
  const std::int64_t k_of_b = problem.b_k_contiguous ? b.cols : b.rows;

  std::vector<std::string> reasons;
  const auto expect = [&](const GivenArray& array, ScalarType type) {
    if (array.type == type) return;
    reasons.push_back(fmt::format("{}: holds {}, the product takes {} there", array.name,
                                  to_string(array.type), to_string(type)));
  };
  expect(given[0], problem.operand);
  expect(given[1], problem.operand);
  if (k != k_of_b) {
    reasons.push_back(fmt::format(
        "K is {} in {}, whose shape is {}, and {} in {}, whose shape is {}", k, given[0].name,
        shape_text(given[0].shape), k_of_b, given[1].name, shape_text(given[1].shape)));
  }
  if (a.is_batch && b.is_batch && a.batch != b.batch) {
    reasons.push_back(fmt::format("{} has {} matrices, {} has {}", given[0].name, a.batch,
                                  given[1].name, b.batch));
  }
  problem.batch = std::max(a.batch, b.batch);
  problem.keeps_batch = a.is_batch || b.is_batch;
  if (reads_c) {
    expect(given[2], problem.result);
    std::vector<std::int64_t> shape = {problem.c_n_contiguous ? m : n,
                                       problem.c_n_contiguous ? n : m};
    if (problem.keeps_batch) shape.insert(shape.begin(), problem.batch);
    if (given[2].shape != shape) {
      reasons.push_back(fmt::format("{}: has the shape {}, C has {}", given[2].name,
                                    shape_text(given[2].shape), shape_text(shape)));
    }
  }
  if (!reasons.empty()) throw ArgumentError(join(reasons, "; "));
  // One matrix for all of the batch.
  if (!a.is_batch) problem.a.stride = 0;
  if (!b.is_batch) problem.b.stride = 0;
  Problem out;
  out.entry = &entry;
  out.request.type = problem.operand;
  out.request.options = config;
  out.request.gemm = problem.form();
  out.size = {m, n, k};
  out.gemm = problem;
  return out;
}

}  // namespace vkmoye::bench
