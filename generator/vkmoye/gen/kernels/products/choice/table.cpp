// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/choice/table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::gen {
namespace {

constexpr std::int64_t kUnknownExtent = 4096;
constexpr const char* kSplit = "split-k";
constexpr const char* kAny = "*";
constexpr const char* kNoSteps = "none";  // of an epilogue

std::string trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1));
}

// The parts of `text` between `separator`s, without the spaces around them and without empty ones.
std::vector<std::string> parts_of(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const auto end = std::min(text.find(separator), text.size());
    std::string part = trimmed(text.substr(0, end));
    if (!part.empty()) parts.push_back(std::move(part));
    if (end == text.size()) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string epilogue_word(const GemmEpilogue& epilogue) {
  return epilogue.empty() ? kNoSteps : epilogue_text(epilogue);
}

// What a condition can ask for: a number, or a word that says what is baked into the kernel.
struct Quantity {
  const char* name;
  double (*number)(const std::vector<std::int64_t>& shape, const GemmQuestion&, const DeviceCaps&);
  std::string (*word)(const GemmForm&) = nullptr;
  const char* words = "";  // those that there are; empty: steps of an epilogue
};

double extent(const std::vector<std::int64_t>& shape, std::size_t which) {
  return static_cast<double>(shape[which]);
}

constexpr Quantity kQuantities[] = {
    {"m", [](const auto& shape, const auto&, const auto&) { return extent(shape, 0); }},
    {"n", [](const auto& shape, const auto&, const auto&) { return extent(shape, 1); }},
    {"k", [](const auto& shape, const auto&, const auto&) { return extent(shape, 2); }},
    {"batch",
     [](const auto&, const auto& question, const auto&) -> double {
       return static_cast<double>(question.batch);
     }},
    {"least", [](const auto& shape, const auto&,
                 const auto&) { return std::min(extent(shape, 0), extent(shape, 1)); }},
    {"area", [](const auto& shape, const auto&,
                const auto&) { return extent(shape, 0) * extent(shape, 1); }},
    {"elements",
     [](const auto& shape, const auto& question, const auto&) {
       return extent(shape, 0) * extent(shape, 1) * static_cast<double>(question.batch);
     }},
    {"lanes",
     [](const auto&, const auto&, const auto& device) -> double { return device.subgroup_size; }},
    {"shared",
     [](const auto&, const auto&, const auto& device) -> double {
       return device.max_shared_bytes;
     }},
    {"a", nullptr,
     [](const GemmForm& form) -> std::string { return form.a_k_contiguous ? "k" : "m"; }, "k m"},
    {"b", nullptr,
     [](const GemmForm& form) -> std::string { return form.b_k_contiguous ? "k" : "n"; }, "k n"},
    {"beta", nullptr, [](const GemmForm& form) -> std::string { return form.beta ? "yes" : "no"; },
     "no yes"},
    {"epilogue", nullptr, [](const GemmForm& form) { return epilogue_word(form.epilogue); }},
};

const Quantity* find_quantity(const std::string& name) {
  const auto found = std::find_if(std::begin(kQuantities), std::end(kQuantities),
                                  [&](const Quantity& row) { return row.name == name; });
  return found == std::end(kQuantities) ? nullptr : found;
}

// Why `word` is none of `quantity`; empty: it is.
std::string reason_against_word(const Quantity& quantity, const std::string& word) {
  std::vector<std::string> words = parts_of(quantity.words, ' ');
  std::vector<std::string> asked = {word};
  if (words.empty()) {
    words = {kNoSteps};
    for (const GemmStep& step : gemm_steps()) words.push_back(step.name);
    if (word != kNoSteps) asked = parts_of(word, ',');
  }
  const bool fits = !asked.empty() && std::all_of(asked.begin(), asked.end(), [&](const auto& one) {
    return std::find(words.begin(), words.end(), one) != words.end();
  });
  if (fits) return "";
  return fmt::format("there are {}={}", quantity.name,
                     join(words, fmt::format(" {}=", quantity.name)));
}

GemmCondition parse_condition(const std::string& text) {
  const auto begin = text.find_first_of("<>=");
  const auto end = text.find_first_not_of("<>=", std::min(begin, text.size()));
  const auto wrong = [&](const std::string& what) {
    return ArgumentError(fmt::format("'{}' is no condition: {}", text, what));
  };
  if (begin == std::string::npos || end == std::string::npos) throw wrong("such as m>=512 or b=n");
  GemmCondition condition{text.substr(0, begin), text.substr(begin, end - begin), 0, ""};
  const Quantity* quantity = find_quantity(condition.name);
  if (quantity == nullptr) {
    std::vector<std::string> names;
    for (const Quantity& row : kQuantities) names.emplace_back(row.name);
    throw wrong("there are " + join(names, " "));
  }
  const std::string value = text.substr(end);
  if (quantity->word != nullptr) {
    const std::string reason = reason_against_word(*quantity, value);
    if (!reason.empty()) throw wrong(reason);
    if (condition.relation != "=") throw wrong("words are compared with =");
    condition.word = value;
    return condition;
  }
  const auto number = parse_numbers(value, 'x');
  if (!number || number->size() != 1) throw wrong("it compares with a whole number");
  if (condition.relation != ">=" && condition.relation != "<=" && condition.relation != "=") {
    throw wrong("there are >= <= =");
  }
  condition.value = number->front();
  return condition;
}

// "f16" or "f32*f16".
std::string parse_operands(const std::string& text) {
  std::vector<std::string> names;
  for (const std::string& name : parts_of(text, '*')) {
    const auto type = parse_scalar_type(name);
    if (!type) throw ArgumentError(fmt::format("'{}' of '{}' is no type", name, text));
    names.emplace_back(to_string(*type));
  }
  if (names.empty() || names.size() > 2) {
    throw ArgumentError(fmt::format("'{}' is neither a type nor two of them, A*B", text));
  }
  return join(names, "*");
}

// "f16,f32", "f16,f32,f16" or "f32*f16,f32", as types are written here.
std::string parse_types(const std::string& text) {
  if (text == kAny) return text;
  std::vector<std::string> names;
  for (const std::string& name : parts_of(text, ',')) {
    if (names.empty()) {
      names.push_back(parse_operands(name));
      continue;
    }
    const auto type = parse_scalar_type(name);
    if (!type) throw ArgumentError(fmt::format("'{}' of '{}' is no type", name, text));
    names.emplace_back(to_string(*type));
  }
  if (names.size() != 2 && names.size() != 3) {
    throw ArgumentError(fmt::format(
        "'{}' has {} types, there are operands,accumulator and operands,accumulator,result", text,
        names.size()));
  }
  return join(names, ",");
}

bool has_option(const KernelEntry& entry, const std::string& name) {
  return name == kSplit ||
         std::any_of(entry.options.begin(), entry.options.end(),
                     [&](const OptionRow& option) { return option.name == name; });
}

// "gemm/coopmat --tile 128x256x32 --split-k 4" into `row`.
void parse_kernel(const std::string& text, GemmRow& row) {
  const std::vector<std::string> words = parts_of(text, ' ');
  const KernelEntry* entry = words.empty() ? nullptr : find_kernel(words.front());
  if (entry == nullptr || entry->operation != "gemm" || entry->chooses) {
    throw ArgumentError(fmt::format("'{}' names no kernel of products", text));
  }
  row.kernel = entry->name;
  for (std::size_t i = 1; i < words.size(); i += 2) {
    const std::string name = words[i].substr(std::min<std::size_t>(2, words[i].size()));
    if (!words[i].starts_with("--") || i + 1 == words.size()) {
      throw ArgumentError(fmt::format("'{}' is no option with a value", words[i]));
    }
    if (!has_option(*entry, name)) {
      throw ArgumentError(fmt::format("{} has no option '{}'", entry->name, words[i]));
    }
    row.options[name] = words[i + 1];
  }
}

constexpr std::size_t kColumns = 5;

GemmRow parse_row(const std::string& text) {
  GemmRow row;
  row.text = text;
  std::vector<std::string> columns;
  std::string_view rest = text;
  while (columns.size() + 1 < kColumns && rest.find('|') != std::string_view::npos) {
    columns.push_back(trimmed(rest.substr(0, rest.find('|'))));
    rest.remove_prefix(rest.find('|') + 1);
  }
  columns.push_back(trimmed(rest));
  if (columns.size() != kColumns) {
    throw ArgumentError(
        fmt::format("{} columns where a row has {}: device | types | where | "
                    "kernel | why",
                    columns.size(), kColumns));
  }
  row.devices = parts_of(columns[0], ',');
  for (const std::string& part : parts_of(columns[1], ' ')) row.types.push_back(parse_types(part));
  if (row.devices.empty()) throw ArgumentError("no device; * is any");
  if (row.types.empty()) throw ArgumentError("no types; * is any");
  if (columns[2] != "-") {
    for (const std::string& part : parts_of(columns[2], ' ')) {
      row.where.push_back(parse_condition(part));
    }
  }
  parse_kernel(columns[3], row);
  row.why = columns[4];
  return row;
}

}  // namespace

GemmTableText read_gemm_table(std::string_view text, const std::string& name, int first_line) {
  GemmTableText read{{name, {}}, {}};
  int number = first_line - 1;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.empty() || line.starts_with('#')) continue;
    try {
      GemmRow row = parse_row(line);
      row.line = number;
      read.table.rows.push_back(std::move(row));
    } catch (const Error& error) {
      read.wrong.push_back(fmt::format("{}, line {}: {}", name, number, error.what()));
    }
  }
  return read;
}

GemmTable parse_gemm_table(std::string_view text, const std::string& name, int first_line) {
  GemmTableText read = read_gemm_table(text, name, first_line);
  if (!read.wrong.empty()) throw ArgumentError(read.wrong.front());
  return std::move(read.table);
}

std::string match_text(const GemmRow& row) {
  std::vector<std::string> conditions;
  for (const GemmCondition& condition : row.where) {
    conditions.push_back(
        condition.name + condition.relation +
        (condition.word.empty() ? std::to_string(condition.value) : condition.word));
  }
  return fmt::format("{} | {} | {}", join(row.devices, ", "), join(row.types, " "),
                     conditions.empty() ? "-" : join(conditions, " "));
}

std::string match_text(const GemmQuestion& question) {
  const GemmForm& form = question.form;
  std::vector<std::string> conditions;
  for (const char* name : {"m", "n", "k", "batch"}) {
    const double number = find_quantity(name)->number(question.shape.value(), question, {});
    conditions.push_back(fmt::format("{}={:.0f}", name, number));
  }
  for (const Quantity& quantity : kQuantities) {
    if (quantity.word == nullptr) continue;
    conditions.push_back(fmt::format("{}={}", quantity.name, quantity.word(form)));
  }
  return fmt::format("{} | {},{},{} | {}", kAny, operands_text(form.a_type, form.b_type),
                     to_string(form.accumulator), to_string(form.result), join(conditions, " "));
}

bool is_for_device(const GemmRow& row, const DeviceCaps& device) {
  const std::string name = lower_case(device.name);
  return std::any_of(row.devices.begin(), row.devices.end(), [&](const std::string& part) {
    return part == kAny || name.find(lower_case(part)) != std::string::npos;
  });
}

bool is_for_types(const GemmRow& row, const GemmForm& form) {
  // Operands of two types are multiplied as those of the narrower one.
  const auto is_for = [&](const std::string& operands) {
    const std::string sums = fmt::format("{},{}", operands, to_string(form.accumulator));
    const std::string all = fmt::format("{},{}", sums, to_string(form.result));
    return std::any_of(row.types.begin(), row.types.end(), [&](const std::string& one) {
      return one == kAny || one == sums || one == all;
    });
  };
  return is_for(operands_text(form.a_type, form.b_type)) ||
         is_for(std::string(to_string(unit_type(form))));
}

std::string unmet(const GemmRow& row, const GemmForm& form) {
  for (const GemmCondition& condition : row.where) {
    const Quantity& quantity = *find_quantity(condition.name);
    if (quantity.word == nullptr || quantity.word(form) == condition.word) continue;
    return fmt::format("{}={} does not hold, {} is {}", condition.name, condition.word,
                       condition.name, quantity.word(form));
  }
  return "";
}

std::string unmet(const GemmRow& row, const GemmQuestion& question, const DeviceCaps& device) {
  const std::vector<std::int64_t> shape =
      question.shape.value_or(std::vector<std::int64_t>(3, kUnknownExtent));
  for (const GemmCondition& condition : row.where) {
    const Quantity& quantity = *find_quantity(condition.name);
    if (quantity.number == nullptr) continue;
    const double found = quantity.number(shape, question, device);
    const auto wanted = static_cast<double>(condition.value);
    const bool holds = condition.relation == ">="   ? found >= wanted
                       : condition.relation == "<=" ? found <= wanted
                                                    : found == wanted;
    if (holds) continue;
    return fmt::format("{}{}{} does not hold, {} is {:.0f}", condition.name, condition.relation,
                       condition.value, condition.name, found);
  }
  return unmet(row, question.form);
}

}  // namespace vkmoye::gen
