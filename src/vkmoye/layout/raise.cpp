// SPDX-License-Identifier: MIT
#include "vkmoye/layout/raise.hpp"

#include <fmt/format.h>

#include <string>

#include "vkmoye/base/error.hpp"
#include "vkmoye/layout/text.hpp"
#include "vkmoye/layout/tiler.hpp"

namespace vkmoye {
namespace {

std::string to_text(const ErrorOperand& operand) {
  switch (operand.kind) {
    case ErrorOperand::Kind::integer:
      return operand.integer == _ ? "_" : std::to_string(operand.integer);
    case ErrorOperand::Kind::tuple: return to_string(*static_cast<const IntTuple*>(operand.object));
    case ErrorOperand::Kind::layout: return to_string(*static_cast<const Layout*>(operand.object));
    case ErrorOperand::Kind::tiler: return to_string(*static_cast<const Tiler*>(operand.object));
  }
  return {};
}

std::string subject(const char* operation, std::initializer_list<ErrorOperand> operands) {
  std::string text = operation;
  const char* separator = " of ";
  for (const ErrorOperand& operand : operands) {
    text += separator + to_text(operand);
    separator = " and ";
  }
  return text;
}

std::string fill(const char* rule, std::initializer_list<std::int64_t> numbers) {
  std::string text;
  auto next = numbers.begin();
  for (const char* c = rule; *c != '\0'; ++c) {
    if (c[0] == '{' && c[1] == '}' && next != numbers.end()) {
      text += std::to_string(*next++);
      ++c;
    } else {
      text += *c;
    }
  }
  return text;
}

}  // namespace

void raise(const char* operation, std::initializer_list<ErrorOperand> operands, const char* rule,
           std::initializer_list<std::int64_t> numbers) {
  const std::string text = fill(rule, numbers);
  if (*operation == '\0') throw LayoutError(text);
  throw LayoutError(fmt::format("{}: {}", subject(operation, operands), text));
}

void raise_from(const char* operation, std::initializer_list<ErrorOperand> operands,
                const LayoutError& inner) {
  throw LayoutError(fmt::format("{}: {}", subject(operation, operands), inner.what()));
}

}  // namespace vkmoye
