// SPDX-License-Identifier: MIT
#include "vkmoye/gen/problems/rows/lookup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/contract/option_values.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"
#include "vkmoye/gen/numbers/number.hpp"
#include "vkmoye/gen/numbers/random.hpp"
#include "vkmoye/gen/problems/moves/conversion.hpp"

namespace vkmoye::gen {
namespace {

constexpr double kLookedUpInASecond = 0x1p26;  // that are checked

class Lookup : public Problem {
 public:
  /// `shape`: of the indices.
  Lookup(const MovedTypes& types, const Extents& shape, std::int64_t entries, std::int64_t cols)
      : types_(types), rows_(number_of_elements(shape)), entries_(entries), cols_(cols) {
    size = {rows_, entries, cols};
    form = ElementsForm(types.src, size, types.result());
    type_text = operands_text(types.src, types.dst);
    Extents of_result = shape;
    of_result.push_back(cols);
    add_input("table", types.src, {entries, cols});
    add_input("indices", ScalarType::i32, shape);
    add_result("dst", types.dst, of_result);
    arguments = {{"cols", cols_}, {"entries", entries_}, {"rows", rows_}};
    // Each row is read once for each index.
    bytes = static_cast<double>(count(rows_, cols_)) *
                static_cast<double>(width() + size_of(types.dst)) +
            static_cast<double>(count(rows_, 4));
    seconds_to_check = static_cast<double>(count(rows_, cols_)) / kLookedUpInASecond;
  }

  void fill(ArrayMemory& memory, std::uint64_t seed) const override {
    std::vector<std::byte> table(count(entries_, cols_) * width());
    for (std::uint64_t i = 0; i * width() < table.size(); ++i) {
      random_moved({&table[i * width()], width()}, types_, seed, i);
    }
    memory.write(0, table);
    std::vector<std::int32_t> indices;
    for (std::int64_t row = 0; row < rows_; ++row) {
      indices.push_back(static_cast<std::int32_t>(index(seed, row)));
    }
    memory.write(1, std::as_bytes(std::span(indices)));
  }

  CheckResult check(const ArrayMemory& memory, Verify verify, std::uint64_t seed) const override {
    CheckResult checked;
    const std::size_t result_width = size_of(types_.dst);
    std::vector<std::byte> line(count(cols_, 1) * result_width);
    std::vector<std::byte> expected(width());
    const std::vector<std::byte> zero(result_width);
    const auto in_a_second = static_cast<std::int64_t>(
        kLookedUpInASecond / static_cast<double>(std::max<std::int64_t>(cols_, 1)));
    for (const std::int64_t row : parts_to_check(rows_, in_a_second, verify, seed)) {
      memory.read(2, line, count(row, cols_) * result_width);
      const std::int64_t entry = index(seed, row);
      const bool is_inside = entry >= 0 && entry < entries_;
      for (std::int64_t col = 0; col < cols_; ++col) {
        const std::byte* got = &line[count(col, 1) * result_width];
        bool is_right = std::memcmp(zero.data(), got, result_width) == 0;
        if (is_inside) {
          random_moved(expected, types_, seed, count(entry, cols_) + count(col, 1));
          is_right = is_moved(types_, expected.data(), got);
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

 private:
  static std::uint64_t count(std::int64_t rows, std::int64_t cols) {
    return static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(cols);
  }
  std::size_t width() const { return size_of(types_.src); }

  // From -1 on, up to the number of entries: both are outside.
  std::int64_t index(std::uint64_t seed, std::int64_t row) const {
    const std::uint64_t bits = random_bits(~seed, static_cast<std::uint64_t>(row));
    return static_cast<std::int64_t>(bits % (static_cast<std::uint64_t>(entries_) + 2)) - 1;
  }

  MovedTypes types_;
  std::int64_t rows_, entries_, cols_;
};

MovedTypes lookup_types(const ProblemText& text) {
  return parse_moved_types(text.type, text.entry->name,
                           "one type, or those of the table and the result");
}

std::unique_ptr<Problem> lookup_of_arrays(const ProblemText& text,
                                          const std::vector<GivenArray>& given) {
  const std::string& kernel = text.entry->name;
  if (given.size() != 2) {
    throw ArgumentError(
        fmt::format("{} takes a table and indices, got {} arrays", kernel, given.size()));
  }
  const GivenArray &table = given[0], &indices = given[1];
  MovedTypes types = {table.type, table.type};
  if (!text.type.empty()) types = lookup_types(text);
  std::vector<std::string> reasons;
  if (types.src != table.type) {
    reasons.push_back(fmt::format("{}: has type {}, but --type is {}", table.name,
                                  to_string(table.type), text.type));
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
  return std::make_unique<Lookup>(types, indices.shape, table.shape[0], table.shape[1]);
}

}  // namespace

Operation lookups() {
  Operation out;
  out.name = "embed";
  out.converts = true;
  out.size = {.text = "INDICESxROWSxCOLUMNS", .rank = 3, .example = {512, 4096, 4096}};
  out.of_size = [](const ProblemText& text, const Extents& size) {
    return std::make_unique<Lookup>(lookup_types(text), Extents{size[0]}, size[1], size[2]);
  };
  out.of_arrays = lookup_of_arrays;
  out.suite_sizes = [](bool cpu, bool quick) -> std::vector<Extents> {
    if (cpu) return {{64, 1000, 1024}};
    if (quick) return {{512, 4096, 4096}};
    return {{512, 4096, 4096}, {8192, 32000, 4096}};
  };
  return out;
}

}  // namespace vkmoye::gen
