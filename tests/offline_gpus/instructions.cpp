// SPDX-License-Identifier: MIT
#include "offline_gpus/instructions.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace vkmoye::test {
namespace {

// One line of a listing: a label, a branch to one, or another instruction.
struct Line {
  std::string_view label, target, operation;
};

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const auto begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos) break;
    const auto end = std::min(line.find_first_of(" \t", begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    line.remove_prefix(end);
  }
  return words;
}

template <class Visit>
void for_each_line(std::string_view text, const Visit& visit) {
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    visit(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// "BB12:" begins a block, "s_cbranch_scc0 BB12" ends one; ";" begins a comment.
Line radv_line(std::string_view text) {
  const auto words = words_of(text.substr(0, text.find(';')));
  Line line;
  if (words.empty()) return line;
  if (words[0].ends_with(':')) {
    line.label = words[0].substr(0, words[0].size() - 1);
  } else {
    line.operation = words[0];
    const bool branches = line.operation.starts_with("s_cbranch") || line.operation == "s_branch";
    if (branches && words.size() > 1) line.target = words[1];
  }
  return line;
}

// "block 21 L25 [19] -> {" begins a block, "@!p0 bra pT L25" ends one, "r4 = ld.global.." has a result;
// "//" begins a comment.
Line nvk_line(std::string_view text) {
  auto words = words_of(text.substr(0, text.find("//")));
  Line line;
  if (words.empty()) return line;
  if (words[0].starts_with("block")) {
    if (words.size() > 2) line.label = words[2];
    return line;
  }
  const auto equals = std::find(words.begin(), words.end(), "=");
  if (equals != words.end()) words.erase(words.begin(), equals + 1);
  if (!words.empty() && words[0].starts_with('@')) words.erase(words.begin());
  if (words.empty()) return line;
  line.operation = words[0];
  if (line.operation == "bra") line.target = words.back();
  return line;
}

// The product of `count` numbers in `operation`, starting with the first that follows 'x' or 'm'.
std::int64_t product_of_numbers(std::string_view operation, std::size_t at, int count) {
  std::int64_t product = 1;
  for (; count > 0 && at < operation.size(); --count) {
    while (at < operation.size() && std::isdigit(static_cast<unsigned char>(operation[at])) == 0) {
      ++at;
    }
    std::int64_t number = 0;
    for (; at < operation.size() && std::isdigit(static_cast<unsigned char>(operation[at])) != 0;
         ++at) {
      number = 10 * number + (operation[at] - '0');
    }
    product *= number;
  }
  return product;
}

// Classifies the instructions of one driver.
struct Kinds {
  Line (*line)(std::string_view);
  /// The multiply-adds of a matrix instruction; 0 for others.
  std::int64_t (*products)(std::string_view operation);
  bool (*narrow_shared_load)(std::string_view operation);
  bool (*wide_load)(std::string_view operation);
  bool (*wide_store)(std::string_view operation);
};

// A loop is the code between a label and a branch back to it.
Instructions read(std::string_view text, const Kinds& kinds) {
  Instructions found;
  struct Loop {
    std::size_t begin, end;
  };
  std::vector<Loop> loops;
  std::vector<std::size_t> matrices, narrow;
  std::map<std::string_view, std::size_t> labels;
  std::size_t number = 0;
  for_each_line(text, [&](std::string_view whole) {
    const Line line = kinds.line(whole);
    ++number;
    if (!line.label.empty()) labels.emplace(line.label, number);
    if (const auto label = labels.find(line.target); label != labels.end()) {
      loops.push_back({label->second, number});
    }
    if (line.operation.empty()) return;
    if (const std::int64_t products = kinds.products(line.operation); products > 0) {
      ++found.matrix;
      found.matrix_products += products;
      matrices.push_back(number);
    }
    if (kinds.narrow_shared_load(line.operation)) narrow.push_back(number);
    found.wide_loads += kinds.wide_load(line.operation) ? 1 : 0;
    found.wide_stores += kinds.wide_store(line.operation) ? 1 : 0;
  });
  for (const std::size_t load : narrow) {
    found.narrow_loads += std::any_of(loops.begin(), loops.end(), [&](const Loop& loop) {
      return loop.begin < load && load < loop.end &&
             std::any_of(matrices.begin(), matrices.end(), [&](std::size_t matrix) {
               return loop.begin < matrix && matrix < loop.end;
             });
    });
  }
  return found;
}

bool moves_128_bits(std::string_view operation, std::string_view direction) {
  const bool of_buffer = operation.starts_with("buffer_") || operation.starts_with("global_");
  return of_buffer && contains(operation, direction) &&
         (operation.ends_with("b128") || operation.ends_with("dwordx4"));
}

constexpr Dialect kDialects[] = {
    {"radv", 256, "VGPRs", "SGPRs", "Spilled VGPRs", "Spilled SGPRs", "Scratch size", "LDS size",
     "Code size", "Instructions", "Assembly", read_radv},
    {"NVK", 255, "Number of GPRs", "", "Spills to memory", "", "SLM size", "", "Code size",
     "Instruction count", "NAK assembly", read_nvk},
};

}  // namespace

Instructions read_radv(std::string_view text) {
  return read(
      text, {radv_line,
             [](std::string_view operation) -> std::int64_t {
               if (!operation.starts_with("v_wmma_")) return 0;  // v_wmma_f32_16x16x16_f16
               const auto shape = operation.find('_', std::string_view("v_wmma_").size());
               return shape == std::string_view::npos ? 0 : product_of_numbers(operation, shape, 3);
             },
             [](std::string_view operation) {
               for (const std::string_view begin : {"ds_load_", "ds_read_"}) {
                 if (!operation.starts_with(begin)) continue;
                 const char type = operation.substr(begin.size()).front();
                 return type == 'u' || type == 'i';  // ds_load_u16_d16, ds_read_i8
               }
               return false;
             },
             [](std::string_view operation) { return moves_128_bits(operation, "_load_"); },
             [](std::string_view operation) { return moves_128_bits(operation, "_store_"); }});
}

Instructions read_nvk(std::string_view text) {
  return read(text, {nvk_line,
                     [](std::string_view operation) -> std::int64_t {  // hmma.m16n8k16.f32
                       const bool is =
                           operation.starts_with("hmma.") || operation.starts_with("imma.");
                       return is ? product_of_numbers(operation, operation.find(".m"), 3) : 0;
                     },
                     [](std::string_view operation) {
                       if (!operation.starts_with("ld.shared")) return false;
                       const std::string_view type = operation.substr(operation.rfind('.') + 1);
                       return type == "u8" || type == "i8" || type == "u16" || type == "i16";
                     },
                     [](std::string_view operation) {
                       return operation.starts_with("ld.global") && operation.ends_with(".b128");
                     },
                     [](std::string_view operation) {
                       return operation.starts_with("st.global") && operation.ends_with(".b128");
                     }});
}

const Dialect* dialect_of(std::string_view driver) {
  for (const Dialect& dialect : kDialects) {
    if (driver.starts_with(dialect.driver)) return &dialect;
  }
  return nullptr;
}

Compiled compiled_of(const PipelineExecutable& executable, const Dialect& dialect) {
  const auto require = [&](std::string_view name) {
    const auto value = executable.count(name);
    if (!value) throw std::runtime_error("the driver gives no '" + std::string(name) + "'");
    return *value;
  };
  const auto optional = [&](std::string_view name) -> std::optional<std::int64_t> {
    return name.empty() ? std::nullopt : std::optional(require(name));
  };
  Compiled out;
  out.lanes = executable.subgroup_size;
  out.registers = require(dialect.registers);
  out.scalar_registers = optional(dialect.scalar_registers);
  out.spilled = require(dialect.spilled) + optional(dialect.spilled_scalars).value_or(0);
  out.scratch_bytes = require(dialect.scratch);
  out.shared_bytes = optional(dialect.shared);
  out.code_bytes = require(dialect.code);
  out.count = require(dialect.count);
  const auto text = std::find_if(executable.texts.begin(), executable.texts.end(),
                                 [&](const auto& t) { return t.name == dialect.text; });
  if (text == executable.texts.end()) {
    throw std::runtime_error("the driver gives no text '" + std::string(dialect.text) + "'");
  }
  out.instructions = dialect.read(text->text);
  return out;
}

}  // namespace vkmoye::test
