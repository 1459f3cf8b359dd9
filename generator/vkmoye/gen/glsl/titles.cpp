// SPDX-License-Identifier: MIT
#include "vkmoye/gen/glsl/titles.hpp"

#include <cstddef>
#include <variant>

namespace vkmoye::gen::glsl {
namespace {

std::string below_case(const ir::Body& statements) {
  const ir::Titled* block = only_block(statements);
  const std::size_t end = block == nullptr ? std::string::npos : block->title.find(":\n");
  return end == std::string::npos ? "" : block->title.substr(end + 2);
}

}  // namespace

const ir::Titled* only_block(const ir::Body& statements) {
  const auto* block =
      statements.size() == 1 ? std::get_if<ir::Titled>(&statements.front().value) : nullptr;
  return block != nullptr && block->function.empty() ? block : nullptr;
}

std::string title_of_both(const ir::If& branches) {
  const std::string text = below_case(branches.body);
  return text == below_case(branches.otherwise) ? text : "";
}

}  // namespace vkmoye::gen::glsl
