// SPDX-License-Identifier: MIT
// Long rows, and columns, that are cut into slices: plans of two kernels, compared with f64 within the bounds that hold
// for one kernel: all types, several shapes, NaN and infinity.

#include <limits>
#include <string>

#include "rows_device/matrix.hpp"
#include "support/device_fixture.hpp"
#include "support/expect.hpp"
#include "support/guarded_buffer.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"
#include "vkmoye/gen/kernels/rows/row_plans.hpp"

namespace vkmoye::test {
namespace {

// Blocks of 64 columns, so that rows of a few thousand have many. Of columns, 64 threads have 8 rows.
constexpr int kThreads = 64;
const gen::Options kOptions = {{"threads", "64"}, {"rounds", "1"}, {"columns", "64"}};
const gen::Options kColumnOptions = {
    {"threads", "64"}, {"rounds", "1"}, {"columns", "8"}, {"axis", "0"}};

struct Operation {
  std::string entry;
  gen::Options options;
  /// The rows of the result for one row of src: expected values of it.
  std::function<std::vector<gen::Expected>(ScalarType, const std::vector<double>& x,
                                           const std::vector<double>& residual,
                                           const std::vector<double>& weight)>
      define;
};

std::vector<gen::Expected> one(const gen::Expected& value) { return {value}; }

const std::vector<Operation>& operations() {
  using V = const std::vector<double>&;
  static const std::vector<Operation> all = {
      {"reduce/sum", kOptions,
       [](ScalarType type, V x, V, V) { return one(gen::defined_sum(type, x, kThreads)); }},
      {"reduce/max", kOptions,
       [](ScalarType type, V x, V, V) { return one(gen::defined_largest(type, x)); }},
      {"reduce/sum", kColumnOptions,
       [](ScalarType type, V x, V, V) { return one(gen::defined_sum(type, x, 8)); }},
      {"reduce/max", kColumnOptions,
       [](ScalarType type, V x, V, V) { return one(gen::defined_largest(type, x)); }},
      {"argmax/rows", kOptions,
       [](ScalarType, V x, V, V) {
         return one({static_cast<double>(gen::defined_column_of_largest(x)), 0});
       }},
      {"softmax/rows", kOptions,
       [](ScalarType type, V x, V, V) {
         std::vector<gen::Expected> out(x.size());
         gen::define_softmax(type, x, kThreads, out);
         return out;
       }},
      {"norm/rms", kOptions,
       [](ScalarType type, V x, V, V weight) {
         std::vector<gen::Expected> out(x.size());
         gen::define_rms_norm(type, x, weight, 1e-5, kThreads, out);
         return out;
       }},
      {"norm/residual", kOptions,
       [](ScalarType type, V x, V residual, V weight) {
         std::vector<gen::Expected> out(2 * x.size());
         gen::define_residual_norm(type, x, residual, weight, 1e-5, kThreads, out);
         return out;
       }},
  };
  return all;
}

class SlicesTest : public DeviceTest {
 protected:
  // The plan of `operation` on `matrix` gives what one kernel would.
  void expect_right(Device& device, const Operation& operation, ScalarType type,
                    const Matrix& matrix) {
    SCOPED_TRACE(operation.entry + " of " + std::string(to_string(type)) + " " +
                 std::to_string(matrix.rows) + "x" + std::to_string(matrix.cols));
    gen::KernelRequest request = gen::request_of(type, operation.options);
    request.device = device.caps();
    request.elements().shape = {
        {static_cast<std::int64_t>(matrix.rows), static_cast<std::int64_t>(matrix.cols)}};
    const gen::KernelPlan plan = gen::find_kernel(operation.entry)->in_slices(request);
    ASSERT_EQ(plan.steps.size(), 2u);

    const Matrix residual = random_matrix(random_, type, matrix.rows, matrix.cols);
    const Matrix weight = random_matrix(random_, type, 1, matrix.cols);
    std::vector<GuardedBuffer> buffers;
    for (std::size_t i = 0; i < plan.arrays.size() + plan.scratch.size(); ++i) {
      const PlanArray& array = plan.array(i);
      GuardedBuffer& buffer = buffers.emplace_back(device, array.bytes);
      if (array.name == "src") write_as(buffer, bytes_of(type, matrix.values));
      if (array.name == "residual") write_as(buffer, bytes_of(type, residual.values));
      if (array.name == "weight") write_as(buffer, bytes_of(type, weight.values));
    }
    for (const gen::KernelStep& step : plan.steps) {
      std::vector<BufferView> views;
      for (const std::size_t number : step.arrays) views.push_back(buffers[number].view());
      device.run(device.load(gen::compile(step.kernel, device.caps())), views, step.arguments);
    }
    for (const GuardedBuffer& buffer : buffers) EXPECT_EQ(buffer.damage(), "");

    std::vector<double> found;
    for (std::size_t i = 0; i < plan.arrays.size(); ++i) {
      const std::string& name = plan.arrays[i].name;
      if (name != "dst" && name != "total") continue;
      const KernelInterface last = gen::ir::interface_of(plan.steps.back().kernel);
      const auto binding = std::find_if(last.bindings.begin(), last.bindings.end(),
                                        [&](const Binding& b) { return b.name == name; });
      const auto numbers = numbers_in(binding->type, read_as<std::uint8_t>(buffers[i]));
      found.insert(found.end(), numbers.begin(), numbers.end());
    }
    const bool of_rows = operation.options.count("axis") == 0;
    const std::size_t lines = of_rows ? matrix.rows : matrix.cols;
    std::size_t wrong = 0;
    for (std::size_t line = 0; line < lines; ++line) {
      const std::vector<gen::Expected> expected =
          operation.define(type, of_rows ? matrix.row(line) : matrix.column(line),
                           residual.row(of_rows ? line : 0), weight.values);
      // Of each result, lines of as many values: one, or a row.
      const std::size_t values = std::min(expected.size(), matrix.cols);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        const std::size_t place = i / values * lines * values + line * values + i % values;
        if (is_right(found.at(place), expected[i]) || wrong++ > 3) continue;
        ADD_FAILURE() << "value " << i << " of line " << line << " is " << found[place]
                      << ", expected " << expected[i].value << " within " << expected[i].bound;
      }
    }
    EXPECT_EQ(wrong, 0u);
  }

  void expect_right(Device& device, ScalarType type, const Matrix& matrix) {
    for (const Operation& operation : operations()) {
      const auto& types = gen::find_kernel(operation.entry)->types;
      if (std::find(types.begin(), types.end(), type) == types.end()) continue;
      const bool of_rows = operation.options.count("axis") == 0;
      Matrix turned = {matrix.cols, matrix.rows, {}};
      for (std::size_t c = 0; c < matrix.cols && !of_rows; ++c) {
        const auto column = matrix.column(c);
        turned.values.insert(turned.values.end(), column.begin(), column.end());
      }
      expect_right(device, operation, type, of_rows ? matrix : turned);
    }
  }

  std::mt19937 random_{2027};
};

TEST_F(SlicesTest, LongRowsAndColumnsAreRightForEveryType) {
  using enum ScalarType;
  for_each_device([&](Device& device) {
    for (const ScalarType type : {f32, f16, bf16, e4m3, e5m2, f64, i32, u32, i16, u16, i8, u8}) {
      const std::size_t cols = size_of(type) == 4 ? 5003 : 4096;
      expect_right(device, type, random_matrix(random_, type, 3, cols));
    }
    expect_right(device, f32, random_matrix(random_, f32, 1, 4097));
    expect_right(device, f32, random_matrix(random_, f32, 70, 4099));
  });
}

TEST_F(SlicesTest, NaNAndInfinityBehaveAsInNumPy) {
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::nan("");
  constexpr std::size_t kCols = 5000;
  for_each_device([&](Device& device) {
    Matrix matrix = random_matrix(random_, ScalarType::f32, 8, kCols);
    const auto set = [&](std::size_t row, std::size_t col, double value) {
      matrix.values[row * kCols + col] = value;
    };
    set(0, 3, nan);
    set(1, 1500, infinity);
    set(2, kCols - 1, -infinity);
    set(3, 0, infinity);
    set(3, 1700, -infinity);
    set(4, 1, infinity);
    set(4, 4999, nan);
    for (std::size_t c = 0; c < kCols; ++c) set(5, c, -infinity);
    for (std::size_t c = 0; c < kCols; ++c) set(6, c, c == 1234 ? 1 : -infinity);
    expect_right(device, ScalarType::f32, matrix);
  });
}

TEST(RowPlans, SlicesAreForFewLongRows) {
  EXPECT_EQ(gen::slices_of_rows(3, 6695695, 2048), 342);
  EXPECT_EQ(gen::slices_of_rows(1, 204800000, 2048), 512);
  EXPECT_EQ(gen::slices_of_rows(16, 128256, 8192), 8);
  EXPECT_EQ(gen::slices_of_rows(256, 2048000, 2048), 1);  // enough workgroups
  EXPECT_EQ(gen::slices_of_rows(1, 4095, 64), 1);         // short rows
  EXPECT_EQ(gen::slices_of_rows(1, 6144, 2048), 1);
  EXPECT_EQ(gen::slices_of_rows(0, 2048000, 2048), 1);  // no rows
}

}  // namespace
}  // namespace vkmoye::test
