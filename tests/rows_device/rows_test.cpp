// SPDX-License-Identifier: MIT
// Sums, maxima, softmax and norms of rows and columns on every device, compared with f64 within their bounds: all
// types, sizes around those of the blocks, thin arrays, NaN and infinity.

#include <cmath>
#include <limits>
#include <random>

#include "rows_device/matrix.hpp"
#include "support/device_fixture.hpp"
#include "support/expect.hpp"
#include "support/guarded_buffer.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/kernels/rows/reduce.hpp"
#include "vkmoye/gen/kernels/rows/rms_norm.hpp"
#include "vkmoye/gen/kernels/rows/softmax.hpp"

namespace vkmoye::test {
namespace {

class RowsTest : public DeviceTest {
 protected:
  Matrix random_matrix(ScalarType type, std::size_t rows, std::size_t cols) {
    return test::random_matrix(random_, type, rows, cols);
  }

  // Runs on `inputs` of `type` and compares each element, of `result_type`, with `expected`.
  void expect(Device& device, const Pipeline& pipeline, ScalarType type, ScalarType result_type,
              const std::vector<const std::vector<double>*>& inputs, std::size_t rows,
              std::size_t cols, const std::vector<gen::Expected>& expected) {
    SCOPED_TRACE(pipeline.interface().name + " of " + std::string(to_string(type)) + " " +
                 std::to_string(rows) + "x" + std::to_string(cols));
    std::vector<GuardedBuffer> buffers;
    std::vector<BufferView> views;
    for (const std::vector<double>* input : inputs) {
      buffers.emplace_back(device, input->size() * size_of(type));
      write_as(buffers.back(), bytes_of(type, *input));
    }
    buffers.emplace_back(device, expected.size() * size_of(result_type));
    for (const GuardedBuffer& buffer : buffers) views.push_back(buffer.view());
    device.run(pipeline, views, {{"rows", rows}, {"cols", cols}});
    for (const GuardedBuffer& buffer : buffers) EXPECT_EQ(buffer.damage(), "");
    const auto found = numbers_in(result_type, read_as<std::uint8_t>(buffers.back()));
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (is_right(found[i], expected[i]) || wrong++ > 3) continue;
      ADD_FAILURE() << "element " << i << " is " << found[i] << ", expected " << expected[i].value
                    << " within " << expected[i].bound;
    }
    EXPECT_EQ(wrong, 0u);
  }

  void expect_reduced(Device& device, const Pipeline& pipeline, const gen::ReduceConfig& wanted,
                      const gen::Reduction& reduction, const Matrix& matrix) {
    const gen::ReduceConfig config = gen::fitted(wanted);
    const ScalarType type = config.type;
    const std::int64_t axis = config.axis;
    const auto threads =
        static_cast<std::size_t>(axis == 1 ? config.columns : config.threads / config.columns);
    std::vector<gen::Expected> expected;
    for (std::size_t i = 0; i < (axis == 1 ? matrix.rows : matrix.cols); ++i) {
      const auto x = axis == 1 ? matrix.row(i) : matrix.column(i);
      expected.push_back(reduction.op == gen::ir::Op::add ? gen::defined_sum(type, x, threads)
                                                          : gen::defined_largest(type, x));
    }
    expect(device, pipeline, type, gen::reduced_type(type, reduction), {&matrix.values},
           matrix.rows, matrix.cols, expected);
  }

  void expect_softmax(Device& device, const Pipeline& pipeline, const gen::ThreadsConfig& wanted,
                      const Matrix& matrix) {
    const gen::ThreadsConfig config = gen::fitted_to_rows(wanted);
    const ScalarType type = config.type;
    std::vector<gen::Expected> expected(matrix.values.size());
    for (std::size_t r = 0; r < matrix.rows; ++r) {
      gen::define_softmax(type, matrix.row(r), static_cast<std::size_t>(config.columns),
                          std::span(expected).subspan(r * matrix.cols, matrix.cols));
    }
    expect(device, pipeline, type, type, {&matrix.values}, matrix.rows, matrix.cols, expected);
  }

  void expect_rms_norm(Device& device, const Pipeline& pipeline, const gen::RmsNormConfig& wanted,
                       const Matrix& matrix, const Matrix& weight) {
    const gen::RmsNormConfig config = gen::fitted_to_rows(wanted);
    const ScalarType type = config.type;
    std::vector<gen::Expected> expected(matrix.values.size());
    for (std::size_t r = 0; r < matrix.rows; ++r) {
      gen::define_rms_norm(type, matrix.row(r), weight.values, config.epsilon,
                           static_cast<std::size_t>(config.columns),
                           std::span(expected).subspan(r * matrix.cols, matrix.cols));
    }
    expect(device, pipeline, type, type, {&matrix.values, &weight.values}, matrix.rows, matrix.cols,
           expected);
  }

  std::optional<Pipeline> load(Device& device, const gen::ir::Kernel& kernel) {
    const auto reasons = reasons_against(gen::ir::interface_of(kernel), device.caps());
    if (reasons.empty()) return device.load(gen::compile(kernel, device.caps()));
    EXPECT_NE(device.caps().kind, DeviceKind::cpu) << reasons.front();
    return std::nullopt;
  }

  std::mt19937 random_{72};
};

// 1, thin arrays, primes; whole and partial blocks; rows that are aligned to 16 bytes, and rows that are not.
constexpr std::size_t kSizes[][2] = {{1, 1},    {1, 7},    {7, 1},    {3, 16},
                                     {5, 31},   {2, 1024}, {3, 1021}, {257, 3},
                                     {1021, 2}, {300, 64}, {33, 130}, {2, 3072}};

using enum ScalarType;
constexpr ScalarType kReduced[] = {f32, f16, bf16, e4m3, e5m2, f64, i32, u32, i16, u16, i8, u8};
constexpr ScalarType kComputedInF32[] = {f32, f16, bf16, e4m3, e5m2};

TEST_F(RowsTest, ReductionsAreRightForEveryTypeAxisAndSize) {
  for_each_device([&](Device& device) {
    for (const ScalarType type : kReduced) {
      for (const int axis : {0, 1}) {
        for (const gen::Reduction reduction : {gen::kSum, gen::kMaximum}) {
          gen::ReduceConfig config = gen::reduce_config(type, device.caps());
          config.axis = axis;
          config.rounds = 2;  // several blocks, even for few values
          config.threads = 64;
          const auto pipeline = load(device, gen::reduce(config, reduction, "reduce"));
          if (!pipeline) continue;
          for (const auto& size : kSizes) {
            expect_reduced(device, *pipeline, config, reduction,
                           random_matrix(type, size[0], size[1]));
          }
        }
      }
    }
  });
}

TEST_F(RowsTest, OtherConfigsOfReductionsAreRight) {
  struct Form {
    ScalarType type;
    int axis;
    std::int64_t threads, columns, rounds, vector;
  };
  const Form forms[] = {{ScalarType::f32, 1, 256, 0, 8, 16}, {ScalarType::f32, 1, 256, 8, 4, 16},
                        {ScalarType::f32, 1, 64, 2, 1, 4},   {ScalarType::f32, 0, 256, 64, 2, 8},
                        {ScalarType::f16, 0, 128, 1, 4, 2},  {ScalarType::i32, 0, 256, 256, 1, 16},
                        {ScalarType::f64, 1, 32, 32, 8, 8},  {ScalarType::i8, 0, 128, 8, 2, 16},
                        {ScalarType::bf16, 0, 64, 16, 4, 16}};
  for_each_device([&](Device& device) {
    for (const Form& form : forms) {
      gen::ReduceConfig config = gen::reduce_config(form.type, device.caps());
      config.axis = form.axis;
      config.threads = form.threads;
      config.columns = form.columns;
      config.rounds = form.rounds;
      config.vector_bytes = form.vector;
      const auto pipeline = load(device, gen::reduce(config, gen::kSum, "reduce"));
      if (!pipeline) continue;
      for (const auto& size : {std::array{67, 4100}, std::array{1030, 67}, std::array{129, 128}}) {
        expect_reduced(device, *pipeline, config, gen::kSum,
                       random_matrix(form.type, size[0], size[1]));
      }
    }
  });
}

TEST_F(RowsTest, SoftmaxAndNormsAreRightForEveryTypeAndSize) {
  for_each_device([&](Device& device) {
    for (const ScalarType type : kComputedInF32) {
      gen::RmsNormConfig config = gen::rms_norm_config(type, device.caps());
      config.threads = 64;
      config.rounds = 2;  // 512 columns of f32 stay, 1024 of f16
      config.epsilon = 0.125;
      const auto softmax = load(device, gen::softmax(config));
      const auto norm = load(device, gen::rms_norm(config));
      if (!softmax || !norm) continue;
      for (const auto& size : kSizes) {
        const Matrix matrix = random_matrix(type, size[0], size[1]);
        expect_softmax(device, *softmax, config, matrix);
        expect_rms_norm(device, *norm, config, matrix, random_matrix(type, 1, size[1]));
      }
    }
  });
}

TEST_F(RowsTest, ConfigsFittedToAnyLengthOfRowsAreRight) {
  for_each_device([&](Device& device) {
    for (const ScalarType type : {ScalarType::f16, ScalarType::f32}) {
      for (const std::int64_t cols : {40, 5000}) {
        const auto reduction = gen::fitted(gen::reduce_config(type, device.caps()), cols);
        const auto config = gen::fitted_to_rows(gen::rms_norm_config(type, device.caps()), cols);
        const auto sum = load(device, gen::reduce(reduction, gen::kSum, "reduce/sum"));
        const auto norm = load(device, gen::rms_norm(config));
        if (!sum || !norm) continue;
        const Matrix matrix = random_matrix(type, 37, static_cast<std::size_t>(cols));
        expect_reduced(device, *sum, reduction, gen::kSum, matrix);
        expect_rms_norm(device, *norm, config, matrix, random_matrix(type, 1, matrix.cols));
      }
    }
  });
}

TEST_F(RowsTest, NaNAndInfinityBehaveAsInNumPy) {
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::nan("");
  for_each_device([&](Device& device) {
    for (const ScalarType type : {f16, f32, bf16, e5m2}) {
      Matrix matrix = random_matrix(type, 7, 40);
      const auto set = [&](std::size_t r, std::size_t c, double value) {
        matrix.values[r * 40 + c] = value;
      };
      set(0, 3, nan);
      set(1, 5, infinity);
      set(2, 39, -infinity);
      set(3, 0, infinity);
      set(3, 20, -infinity);
      set(4, 1, infinity);
      set(4, 2, nan);
      for (std::size_t c = 0; c < 40; ++c) set(5, c, -infinity);
      const Matrix weight = random_matrix(type, 1, 40);
      for (const int axis : {0, 1}) {
        for (const gen::Reduction reduction : {gen::kSum, gen::kMaximum}) {
          gen::ReduceConfig config = gen::reduce_config(type, device.caps());
          config.axis = axis;
          config.threads = 64;
          config.rounds = 1;
          expect_reduced(device, *load(device, gen::reduce(config, reduction, "reduce")), config,
                         reduction, matrix);
        }
      }
      gen::RmsNormConfig config = gen::rms_norm_config(type, device.caps());
      config.threads = 64;
      config.columns = 16;
      config.rounds = 1;
      expect_softmax(device, *load(device, gen::softmax(config)), config, matrix);
      expect_rms_norm(device, *load(device, gen::rms_norm(config)), config, matrix, weight);
    }
  });
}

// The bounds must be small enough to detect a missing element.
TEST(RowReference, ALostElementIsOutsideTheBound) {
  std::mt19937 random(3);
  std::vector<double> x;
  for (int i = 0; i < 8192; ++i) x.push_back(static_cast<float>(random() / 0x1p31 - 1));
  const gen::Expected whole = gen::defined_sum(ScalarType::f32, x, 256);
  std::size_t noticed = 0;
  for (const double lost : x) {
    noticed += !is_right(whole.value - lost, whole);
  }
  EXPECT_GT(noticed, x.size() * 9 / 10);
  EXPECT_TRUE(is_right(static_cast<float>(whole.value), whole));
}

}  // namespace
}  // namespace vkmoye::test
