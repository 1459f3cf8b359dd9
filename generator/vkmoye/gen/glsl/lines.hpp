// SPDX-License-Identifier: MIT
#pragma once
// The lines of a shader: indented by scope, broken at 100 columns, with one empty line between parts.

#include <string>
#include <string_view>
#include <utility>

#include "vkmoye/gen/glsl/wrap.hpp"

namespace vkmoye::gen::glsl {

class Lines {
 public:
  void line(std::string_view text) {
    if (std::exchange(is_apart_, false) && text.front() != '}') text_ += '\n';
    text_ += wrapped(text, static_cast<std::size_t>(2 * depth_));
  }

  /// An empty line comes before the next line, except at the start and at the end of a scope.
  void apart() { is_apart_ = !text_.ends_with("{\n"); }
  void not_apart() { is_apart_ = false; }

  void indent() { ++depth_; }
  void outdent() { --depth_; }

  /// Adds text that has its line ends already.
  void add(std::string_view text) { text_ += text; }

  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  int depth_ = 0;
  bool is_apart_ = false;
};

}  // namespace vkmoye::gen::glsl
