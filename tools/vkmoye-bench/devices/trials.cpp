// SPDX-License-Identifier: MIT
#include "devices/trials.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/numbers/number.hpp"

namespace vkmoye::bench {
namespace {

constexpr std::int64_t kElements = 32;

gen::ir::Kernel copy_of_one_tile() {
  using namespace gen;
  const Layout threads = make_layout({kElements});
  Builder k("executes", kElements);
  k.header({}, "a copy whose result is known: does the device execute anything?");
  const Tensor src = k.input("src", ScalarType::u32, {{"i", kElements}});
  const Tensor dst = k.output("dst", ScalarType::u32, {{"i", kElements}});
  k.copy(parallelize(tile(src, {kElements}, {k.block_x()}), threads, k.thread()),
         parallelize(tile(dst, {kElements}, {k.block_x()}), threads, k.thread()));
  return k.finish();
}

}  // namespace

void require_execution(Device& device) {
  std::vector<std::uint32_t> sent(kElements), before(kElements, 0xdeadbeef), found(kElements);
  std::iota(sent.begin(), sent.end(), 1u);
  Buffer src = device.buffer(kElements * 4), dst = device.buffer(kElements * 4);
  src.write(std::as_bytes(std::span(sent)));
  dst.write(std::as_bytes(std::span(before)));
  const Pipeline copy = device.load(gen::compile(copy_of_one_tile()));
  // Not timed: the clock would be the first to fail.
  device.submit(device.prepare(copy, {src, dst}, {})).wait();
  dst.read(std::as_writable_bytes(std::span(found)));
  if (found == sent) return;
  throw DeviceError(
      DeviceError::Kind::kNoDevice,
      fmt::format(
          "{} executes nothing: a copy of {} numbers, beginning with {}, did not change {:#x} in "
          "its output; it can compile (emit, explain), but not verify or time kernels",
          device.caps().name, kElements, sent[0], found[0]));
}

namespace {

using gen::Builder;
using gen::Matrices;
using gen::Tensor;
using gen::View;
using Use = gen::ir::MatrixType::Use;

// The initial value of the sums.
constexpr double kBefore = 3;
constexpr const char* kOrders[] = {"rows", "columns"};

// Whole numbers whose sums are exact in every type.
double value_at(ScalarType type, std::uint32_t row, std::uint32_t column) {
  const int number = static_cast<int>((row * 7 + column * 5 + row * column) % 5);
  if (size_of(type) > 1) return number - 2;
  return is_unsigned(type) ? 50 * number : 60 * number - 120;
}

struct Types {
  ScalarType a, b, sum;
};

std::optional<Types> types_of(const MatrixShape& shape) {
  const auto a = gen::ir::type_of_component(shape.a), b = gen::ir::type_of_component(shape.b),
             sum = gen::ir::type_of_component(shape.c);
  if (!a || !b || !sum || shape.result != shape.c) return std::nullopt;
  return Types{*a, *b, *sum};
}

class Trial {
 public:
  Trial(const MatrixShape& shape, const Types& types, std::uint32_t lanes)
      : shape_(shape), types_(types), lanes_(lanes), k_("matrix trial", lanes, lanes) {}

  gen::ir::Kernel describe() {
    k_.header({{"matrices", to_string(shape_)}}, "a product that tests the driver");
    const std::array a = {
        operand("a_rows", types_.a, Use::a, shape_.m, shape_.k, Major::kRow),
        operand("a_columns", types_.a, Use::a, shape_.m, shape_.k, Major::kColumn)};
    const std::array b = {
        operand("b_rows", types_.b, Use::b, shape_.k, shape_.n, Major::kRow),
        operand("b_columns", types_.b, Use::b, shape_.k, shape_.n, Major::kColumn)};
    const Tensor by_rows = k_.output("by_rows", types_.sum, axes("n", shape_.n, "m", shape_.m, 4));
    const Tensor by_columns =
        k_.output("by_columns", types_.sum, axes("m", shape_.m, "n", shape_.n, 4));
    const Matrices sums =
        k_.matrices("sums", types_.sum, {Use::accumulator, shape_.m, shape_.n}, 1, 1);
    for (std::uint32_t i = 0; i < 4; ++i) {
      k_.assign(sums, kBefore);
      k_.multiply(a[i / 2], b[i % 2], sums);
      k_.store(sums, 0, transpose(one(by_rows, shape_.n, shape_.m, i)));
      k_.store(sums, 0, one(by_columns, shape_.m, shape_.n, i));
    }
    return k_.finish();
  }

 private:
  static std::vector<Builder::AxisSpec> axes(const char* first, std::uint32_t extent,
                                             const char* second, std::uint32_t other,
                                             std::uint32_t count) {
    return {{first, extent}, {second, other}, {"which", count}};
  }
  static View one(const Tensor& tensor, std::uint32_t first, std::uint32_t second,
                  std::uint32_t which) {
    return slice(tile(tensor, {first, second, 1}, {0, 0, which}), {_, _, 0});
  }

  // Loads rows x columns from a buffer through padded shared memory, or directly from the buffer if there are fewer
  // vectors than lanes.
  Matrices operand(const std::string& name, ScalarType type, Use use, std::uint32_t rows,
                   std::uint32_t columns, Major order) {
    const bool by_columns = order == Major::kColumn;
    const std::uint32_t first = by_columns ? rows : columns, second = by_columns ? columns : rows;
    const Tensor from = k_.input(name, type, {{"first", first}, {"second", second}});
    const View all = tile(from, {first, second}, {0, 0});
    const Matrices matrices = k_.matrices("matrix_" + name, type, {use, rows, columns}, 1, 1);
    const auto load = [&](const View& view) {
      k_.load(by_columns ? view : transpose(view), matrices);
    };
    // The view that a matrix is read through, see as_matrix.
    const std::int64_t max_width = 16 / static_cast<std::int64_t>(size_of(type));
    const std::int64_t width = std::min<std::int64_t>(max_width, first), vectors = first / width;
    if (vectors * second % lanes_ != 0) {
      load(all);
      return matrices;
    }
    const View staged = k_.shared("staged_" + name, type,
                                  Layout(IntTuple{first, second}, IntTuple{1, first + max_width}));
    const std::int64_t side = std::min<std::int64_t>(vectors, lanes_);
    const TiledCopy copy =
        make_tiled_copy(make_layout({side, lanes_ / side}), make_layout({width, 1}));
    k_.copy(partition(all, copy, k_.thread()), partition(staged, copy, k_.thread()),
            {.edges = gen::Edges::inside, .vector = {static_cast<std::uint32_t>(width)}});
    k_.barrier();
    load(staged);
    return matrices;
  }

  const MatrixShape& shape_;
  Types types_;
  std::uint32_t lanes_;
  Builder k_;
};

}  // namespace

std::optional<gen::ir::Kernel> matrix_trial(const MatrixShape& shape, std::uint32_t lanes) {
  const auto types = types_of(shape);
  const auto divides = [&](std::uint32_t elements) { return elements % lanes == 0; };
  const bool is_shared_evenly = lanes > 0 && divides(shape.m * shape.k) &&
                                divides(shape.k * shape.n) && divides(shape.m * shape.n);
  if (!types || !is_shared_evenly || shape.scope != "subgroup" || shape.saturating) {
    return std::nullopt;
  }
  return Trial(shape, *types, lanes).describe();
}

std::string try_matrices(Device& device, const MatrixShape& shape, std::uint32_t lanes,
                         const Compile& compile) {
  const Types types = types_of(shape).value();
  const Pipeline pipeline = device.load(compile(matrix_trial(shape, lanes).value()));
  std::vector<Buffer> buffers;
  const auto add_operand = [&](ScalarType type, std::uint32_t rows, std::uint32_t columns,
                               bool by_columns) {
    std::vector<std::byte> bytes(std::size_t{rows} * columns * size_of(type));
    for (std::uint32_t i = 0; i < rows; ++i) {
      for (std::uint32_t j = 0; j < columns; ++j) {
        const std::size_t at =
            by_columns ? std::size_t{j} * rows + i : std::size_t{i} * columns + j;
        gen::store_number(type, value_at(type, i, j), &bytes[at * size_of(type)]);
      }
    }
    buffers.push_back(device.buffer(bytes.size()));
    buffers.back().write(bytes);
  };
  for (const bool by_columns : {false, true}) add_operand(types.a, shape.m, shape.k, by_columns);
  for (const bool by_columns : {false, true}) add_operand(types.b, shape.k, shape.n, by_columns);
  const std::size_t elements = std::size_t{shape.m} * shape.n, width = size_of(types.sum);
  // Poison: if the driver does not write an element, it is wrong.
  const std::vector<std::byte> before(4 * elements * width, std::byte{0x55});
  for (int i = 0; i < 2; ++i) {
    buffers.push_back(device.buffer(before.size()));
    buffers.back().write(before);
  }
  std::vector<BufferView> views(buffers.begin(), buffers.end());
  device.run(pipeline, views, {});

  std::vector<std::string> wrong;
  for (const bool by_columns : {false, true}) {
    std::vector<std::byte> found(before.size());
    buffers[by_columns ? 5 : 4].read(found);
    for (std::uint32_t which = 0; which < 4; ++which) {
      const auto check = [&](std::uint32_t m, std::uint32_t n) {
        double sum = kBefore;
        for (std::uint32_t k = 0; k < shape.k; ++k) {
          sum += value_at(types.a, m, k) * value_at(types.b, k, n);
        }
        const std::size_t at =
            by_columns ? std::size_t{n} * shape.m + m : std::size_t{m} * shape.n + n;
        const double got = gen::load_number(types.sum, &found[(which * elements + at) * width]);
        if (got == sum) return true;
        wrong.push_back(fmt::format("A by {}, B by {}, stored by {}: [{},{}] is {}, not {}",
                                    kOrders[which / 2], kOrders[which % 2], kOrders[by_columns], m,
                                    n, got, sum));
        return false;
      };
      for (std::uint32_t i = 0; i < elements && check(i / shape.n, i % shape.n); ++i) {
      }
    }
  }
  return join(wrong, "; ");
}

// --- kept verdicts ---

namespace {

std::string fact_name(const MatrixShape& shape, std::uint32_t lanes) {
  return fmt::format("{}, {} lanes", to_string(shape), lanes);
}

constexpr const char* kRight = "right";

}  // namespace

std::optional<std::string> MatrixVerdicts::find(const DeviceCaps& caps, const MatrixShape& shape,
                                                std::uint32_t lanes) const {
  const auto verdict = facts_.find(caps, fact_name(shape, lanes));
  return verdict == kRight ? "" : verdict;
}

void MatrixVerdicts::store(const DeviceCaps& caps, const MatrixShape& shape, std::uint32_t lanes,
                           const std::string& wrong) const {
  facts_.store(caps, fact_name(shape, lanes), wrong.empty() ? kRight : wrong);
}

std::vector<MatrixVerdicts::LaneVerdict> MatrixVerdicts::all_of(const DeviceCaps& caps,
                                                                const MatrixShape& shape) const {
  std::vector<LaneVerdict> out;
  for (std::uint32_t lanes = caps.min_subgroup_size; lanes <= caps.max_subgroup_size && lanes > 0;
       lanes *= 2) {
    if (auto wrong = find(caps, shape, lanes)) out.push_back({lanes, std::move(*wrong)});
  }
  return out;
}

std::vector<std::string> reasons_against_matrices(Device& device, const KernelInterface& kernel,
                                                  const MatrixVerdicts& verdicts) {
  std::vector<std::string> reasons;
  for (const MatrixShape& shape : kernel.matrices) {
    const std::uint32_t lanes = kernel.subgroup_size;
    std::optional<std::string> wrong = verdicts.find(device.caps(), shape, lanes);
    if (!wrong && !matrix_trial(shape, lanes)) {
      reasons.push_back(
          fmt::format("{} with {} lanes has no trial and is not used", to_string(shape), lanes));
      continue;
    }
    if (!wrong) {
      wrong = try_matrices(device, shape, lanes,
                           [](const gen::ir::Kernel& k) { return gen::compile(k); });
      verdicts.store(device.caps(), shape, lanes, *wrong);
    }
    if (!wrong->empty()) {
      reasons.push_back(
          fmt::format("the driver multiplies {} wrong: {}", to_string(shape), *wrong));
    }
  }
  return reasons;
}

}  // namespace vkmoye::bench
