// SPDX-License-Identifier: MIT
#include "workloads/rows/lookup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "baselines/copy.hpp"
#include "io/array_order.hpp"
#include "numbers/number.hpp"
#include "numbers/random.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/kernels/products/form/gemm_form.hpp"
#include "workloads/moves/conversion.hpp"

namespace vkmoye::bench {
namespace {

constexpr double kLookupWork = 0x1p26;  // elements that are checked in about a second

struct LookupTypes {
  ScalarType table, result;
};

LookupTypes lookup_types(const std::string& text, const std::string& kernel) {
  const std::vector<std::string> parts = split(text, '*');
  if (parts.size() > 2) {
    throw ArgumentError(
        fmt::format("type '{}' has {} parts; {} takes one type, or those of the "
                    "table and the result",
                    text, parts.size(), kernel));
  }
  return {parse_type(parts.front()), parse_type(parts.back())};
}

class Lookup : public Workload {
 public:
  /// `shape`: of the indices.
  Lookup(const WorkloadSpec& spec, LookupTypes types, Extents shape, std::int64_t entries,
         std::int64_t cols)
      : Workload(*spec.entry, request_of(spec, types, {product(shape), entries, cols}),
                 {product(shape), entries, cols}),
        shape_(std::move(shape)),
        rows_(product(shape_)),
        entries_(entries),
        cols_(cols) {}

  std::vector<Array> arrays() const override {
    return {{"table", count(entries_, cols_) * width(), 0},
            {"indices", count(rows_, 4), 1},
            {"dst", count(rows_, cols_) * size_of(result_type())}};
  }
  Arguments arguments() const override {
    return {{"cols", cols_}, {"entries", entries_}, {"rows", rows_}};
  }
  std::string type_text() const override {
    return gen::operands_text(request().type, result_type());
  }

  double bytes() const override {  // each row is read once for each index
    return static_cast<double>(count(rows_, cols_)) *
               static_cast<double>(width() + size_of(result_type())) +
           static_cast<double>(count(rows_, 4));
  }
  bool is_bound_by_memory() const override { return true; }
  bool is_checked_in_full() const override {
    return static_cast<double>(count(rows_, cols_)) <= kLookupWork;
  }

  void fill(Execution& execution, std::uint64_t seed) const override {
    std::vector<std::byte> table(count(entries_, cols_) * width());
    for (std::uint64_t i = 0; i * width() < table.size(); ++i) {
      element({&table[i * width()], width()}, seed, i);
    }
    execution.write(0, table);
    std::vector<std::int32_t> indices;
    for (std::int64_t row = 0; row < rows_; ++row) {
      indices.push_back(static_cast<std::int32_t>(index(seed, row)));
    }
    execution.write(1, std::as_bytes(std::span(indices)));
  }

  CheckResult check(const Execution& execution, Verify verify, std::uint64_t seed) const override {
    CheckResult checked;
    const std::size_t result_width = size_of(result_type());
    std::vector<std::byte> line(count(cols_, 1) * result_width);
    std::vector<std::byte> expected(width());
    const std::vector<std::byte> zero(result_width);
    for (const std::int64_t row : rows_to_check(verify, seed)) {
      execution.read(2, line, count(row, cols_) * result_width);
      const std::int64_t entry = index(seed, row);
      const bool is_inside = entry >= 0 && entry < entries_;
      for (std::int64_t col = 0; col < cols_; ++col) {
        const std::byte* got = &line[count(col, 1) * result_width];
        bool is_right = std::memcmp(zero.data(), got, result_width) == 0;
        if (is_inside) {
          element(expected, seed, count(entry, cols_) + count(col, 1));
          is_right = request().type == result_type()
                         ? std::memcmp(expected.data(), got, width()) == 0
                         : is_converted(request().type, expected.data(), result_type(), got);
        }
        if (is_right || checked.mismatches++ > 0) continue;
        checked.first =
            is_inside ? fmt::format("element {} of row {} is not element {} of row {} of the table",
                                    col, row, col, entry)
                      : fmt::format("element {} of row {} is not 0, but its index is {}", col, row,
                                    entry);
      }
    }
    return checked;
  }

  Timing time_baseline(const std::string&, const BaselineRun& run) const override {
    return time_copy_of(static_cast<std::uint64_t>(bytes()), run);
  }

  std::vector<std::int64_t> result_shape() const override {
    Extents shape = shape_;
    shape.push_back(cols_);
    return shape;
  }
  ScalarType result_type() const override { return request().result.value_or(request().type); }

 private:
  static gen::KernelRequest request_of(const WorkloadSpec& spec, LookupTypes types, Extents shape) {
    gen::KernelRequest request = {.type = types.table, .options = spec.config};
    request.shape = std::move(shape);
    if (types.result != types.table) request.result = types.result;
    return request;
  }
  static std::uint64_t count(std::int64_t rows, std::int64_t cols) {
    return static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(cols);
  }
  std::size_t width() const { return size_of(request().type); }

  // Element `i` of the table.
  void element(std::span<std::byte> out, std::uint64_t seed, std::uint64_t i) const {
    if (result_type() == request().type) {
      random_element(out, seed, i);
    } else {
      random_convertible(out, request().type, result_type(), seed, i);
    }
  }
  // From -1 on, up to the number of entries: both are outside.
  std::int64_t index(std::uint64_t seed, std::int64_t row) const {
    const std::uint64_t bits = random_bits(~seed, static_cast<std::uint64_t>(row));
    return static_cast<std::int64_t>(bits % (static_cast<std::uint64_t>(entries_) + 2)) - 1;
  }

  std::vector<std::int64_t> rows_to_check(Verify verify, std::uint64_t seed) const {
    std::vector<std::int64_t> out;
    const bool is_full = verify == Verify::full || is_checked_in_full();
    const auto max_rows = static_cast<std::int64_t>(
        kLookupWork / static_cast<double>(std::max<std::int64_t>(cols_, 1)));
    for (std::int64_t i = 0; i < (is_full ? rows_ : max_rows); ++i) {
      const auto place = static_cast<std::uint64_t>(i);
      out.push_back(is_full ? i
                            : static_cast<std::int64_t>(random_bits(seed, place) %
                                                        static_cast<std::uint64_t>(rows_)));
    }
    return out;
  }

  Extents shape_;
  std::int64_t rows_, entries_, cols_;
};

std::unique_ptr<Workload> lookup_of_arrays(const WorkloadSpec& spec,
                                           const std::vector<GivenArray>& given) {
  const std::string& kernel = spec.entry->name;
  if (given.size() != 2) {
    throw ArgumentError(
        fmt::format("{} takes a table and indices, got {} arrays", kernel, given.size()));
  }
  const GivenArray &table = given[0], &indices = given[1];
  LookupTypes types = {table.type, table.type};
  if (!spec.type.empty()) types = lookup_types(spec.type, kernel);
  std::vector<std::string> reasons;
  if (types.table != table.type) {
    reasons.push_back(fmt::format("{}: has type {}, but --type is {}", table.name,
                                  to_string(table.type), spec.type));
  }
  if (table.shape.size() != 2) {
    reasons.push_back(fmt::format("{}: the table has {} dimensions, not rows and columns",
                                  table.name, table.shape.size()));
  }
  if (indices.type != ScalarType::i32) {
    reasons.push_back(fmt::format("{}: has type {}, {} takes i32 there", indices.name,
                                  to_string(indices.type), kernel));
  }
  if (!reasons.empty()) throw ArgumentError(with_reasons(kernel, reasons));
  return std::make_unique<Lookup>(spec, types, indices.shape, table.shape[0], table.shape[1]);
}

}  // namespace

Operation lookups() {
  Operation out;
  out.name = "embed";
  out.converts = true;
  out.size = {.text = "INDICESxROWSxCOLUMNS", .rank = 3, .example = {512, 4096, 4096}};
  out.baselines = {"copy"};
  out.of_size = [](const WorkloadSpec& spec, const Extents& size) {
    return std::make_unique<Lookup>(spec, lookup_types(spec.type, spec.entry->name),
                                    Extents{size[0]}, size[1], size[2]);
  };
  out.of_arrays = lookup_of_arrays;
  out.suite_sizes = [](bool cpu, bool quick) {
    if (cpu) return std::vector<Extents>{{64, 1000, 1024}};
    if (quick) return std::vector<Extents>{{512, 4096, 4096}};
    return std::vector<Extents>{{512, 4096, 4096}, {8192, 32000, 4096}};
  };
  return out;
}

}  // namespace vkmoye::bench
