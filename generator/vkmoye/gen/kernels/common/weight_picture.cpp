// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/common/weight_picture.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "vkmoye/layout/slice.hpp"

namespace vkmoye::gen {
namespace {

std::string kind_text(const WeightNumber& number) {
  switch (number.kind) {
    case NumberKind::whole: return "";
    case NumberKind::has_sign: return "signed, ";
    case NumberKind::floating: return fmt::format("{}, ", to_string(number.type));
    case NumberKind::power_of_two: return "e8m0, ";
    case NumberKind::level: return fmt::format("one of {} levels, ", number.levels.size());
  }
  return "";
}

// Neighbouring bits of a byte that belong to one number: which one of its field, and which of its bits comes first.
struct Piece {
  std::size_t field = 0;
  std::int64_t index = 0, bit = 0;
  std::int64_t bits = 1;
  bool is_used = false;
};
using Byte = std::vector<Piece>;  // from the highest bit to the lowest

std::vector<Byte> pieces_of(const WeightFormat& format, const std::vector<NamedField>& fields) {
  std::vector<Piece> bits(static_cast<std::size_t>(8 * format.bytes));
  for (std::size_t f = 0; f < fields.size(); ++f) {
    for (std::int64_t i = 0; i < format.elements; i += fields[f].run) {
      for (std::int64_t bit = 0; bit < fields[f].field->bits; ++bit) {
        Piece& piece = bits[static_cast<std::size_t>((*fields[f].field)(i) + bit)];
        if (!piece.is_used) piece = {f, i / fields[f].run, bit, 1, true};
      }
    }
  }
  std::vector<Byte> bytes(static_cast<std::size_t>(format.bytes));
  for (std::size_t b = bits.size(); b-- > 0;) {
    Byte& byte = bytes[b / 8];
    const bool goes_on = !byte.empty() && byte.back().is_used == bits[b].is_used &&
                         byte.back().field == bits[b].field && byte.back().index == bits[b].index;
    if (goes_on) {
      byte.back().bit = bits[b].bit, ++byte.back().bits;
    } else {
      byte.push_back(bits[b]);
    }
  }
  return bytes;
}

// How far `second` is ahead of `first`; nullopt if they are bits of different fields, or other bits.
std::optional<std::int64_t> step_between(const Piece& first, const Piece& second) {
  const bool is_next_byte = second.index == first.index && second.bit == first.bit + 8;
  if (first.field != second.field || first.bits != second.bits || first.is_used != second.is_used ||
      (first.bit != second.bit && !is_next_byte)) {
    return std::nullopt;
  }
  return second.index - first.index;
}

std::optional<std::vector<std::int64_t>> steps_between(const Byte& first, const Byte& second) {
  if (first.size() != second.size()) return std::nullopt;
  std::vector<std::int64_t> steps;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const auto step = step_between(first[i], second[i]);
    if (!step) return std::nullopt;
    steps.push_back(*step);
  }
  return steps;
}

// The number of bytes from `first` on that continue each other. Few bytes in steps of several codes stay apart.
std::int64_t run_from(const std::vector<Byte>& bytes, std::size_t first) {
  constexpr std::int64_t kFew = 4;
  if (first + 1 == bytes.size()) return 1;
  const auto steps = steps_between(bytes[first], bytes[first + 1]);
  if (!steps) return 1;
  std::size_t end = first + 2;
  while (end < bytes.size() && steps_between(bytes[end - 1], bytes[end]) == steps) ++end;
  const auto count = static_cast<std::int64_t>(end - first);
  const bool is_dense = std::all_of(steps->begin(), steps->end(),
                                    [](std::int64_t step) { return step == 0 || step == 1; });
  return is_dense || count > kFew ? count : 1;
}

// 3, 0..15 or 0, 2 .. 30
std::string range_text(std::int64_t first, std::int64_t last, std::int64_t count) {
  if (first == last) return std::to_string(first);
  const std::int64_t step = (last - first) / (count - 1);
  return step == 1 ? fmt::format("{}..{}", first, last)
                   : fmt::format("{}, {} .. {}", first, first + step, last);
}

}  // namespace

std::vector<NamedField> fields_of(const WeightFormat& format) {
  std::vector<NamedField> fields;
  std::vector<NamedNumber> numbers = numbers_of(format);
  std::stable_sort(numbers.begin(), numbers.end(),
                   [](const auto& a, const auto& b) { return a.of < b.of; });
  for (const NamedNumber& named : numbers) {
    const WeightNumber& number = *named.number;
    std::string name = named.name, what;
    if (named.of != NumberOf::block) {
      what = name.substr(named.of == NumberOf::part ? std::string("sub_").size() : 0);
      name = what.substr(0, 1);
    }
    const std::int64_t run = run_of(number, format.elements);
    if (!what.empty() && run > 1) what += fmt::format(" of {} weights", run);
    if (number.zero != 0) what += fmt::format(" - {}", number.zero);
    if (!what.empty()) what += ", ";
    what += kind_text(number);
    for (const BitField& field : number.fields) {
      const std::string bits = range_text(field.to, field.to + field.bits - 1, field.bits);
      fields.push_back({name,
                        fmt::format("{}bit{} {}: {}", what, field.bits == 1 ? "" : "s", bits,
                                    to_string(OffsetLayout{field.at, field.first})),
                        &field, run});
      name += '\'';
    }
  }
  return fields;
}

Table block_table(const WeightFormat& format) {
  const std::vector<NamedField> fields = fields_of(format);
  const std::vector<Byte> bytes = pieces_of(format, fields);
  Table table{fmt::format("{}: {} weights in {} bytes", format.name, format.elements, format.bytes),
              0,
              8,
              {},
              {},
              {"7", "6", "5", "4", "3", "2", "1", "0"}};
  const auto add = [&](std::string name, const std::vector<Cell>& cells) {
    table.row_names.push_back(std::move(name));
    table.cells.resize(static_cast<std::size_t>(++table.rows * table.columns));
    std::int64_t column = 0;
    for (const Cell& cell : cells) {
      table.at(table.rows - 1, column) = cell;
      column += cell.columns;
    }
  };
  for (std::size_t first = 0; first < bytes.size();) {
    const std::int64_t count = run_from(bytes, first);
    const std::size_t last = first + static_cast<std::size_t>(count) - 1;
    std::vector<Cell> cells;
    for (std::size_t i = 0; i < bytes[first].size(); ++i) {
      const Piece &begin = bytes[first][i], &end = bytes[last][i];
      const NamedField& field = fields[begin.field];
      std::string text = begin.is_used ? field.name : "";
      if (begin.is_used && field.run < format.elements)
        text += range_text(begin.index, end.index, count);
      cells.push_back({text, begin.is_used ? static_cast<int>(begin.field) : -1, begin.bits});
    }
    add(range_text(static_cast<std::int64_t>(first), static_cast<std::int64_t>(last), count),
        cells);
    first = last + 1;
  }
  for (const NamedField& field : fields) {
    // A minimum may be a multiple of the scale: then it has the colour of its bits.
    const auto first = std::find_if(fields.begin(), fields.end(), [&](const NamedField& other) {
      return other.field->first == field.field->first && other.field->at == field.field->at;
    });
    add(field.name, {{field.text, static_cast<int>(first - fields.begin()), table.columns}});
  }
  table.keys = static_cast<std::int64_t>(fields.size());
  return table;
}

}  // namespace vkmoye::gen
