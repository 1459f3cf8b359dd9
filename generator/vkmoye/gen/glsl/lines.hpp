// SPDX-License-Identifier: MIT
#pragma once
// The lines of a shader: indented by scope, broken at 110 columns, with one empty line between parts.

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
  void apart() { is_apart_ = !text_.empty() && !text_.ends_with("{\n"); }
  void not_apart() { is_apart_ = false; }

  void indent() { ++depth_; }
  void outdent() { --depth_; }

  /// Adds text that already contains its line ends.
  void add(std::string_view text) {
    if (std::exchange(is_apart_, false) && !text.empty()) text_ += '\n';
    text_ += text;
  }

  /// No lines, indented by one scope more than these.
  Lines inside() const {
    Lines inner;
    inner.depth_ = depth_ + 1;
    return inner;
  }

  /// The columns of `text` as one line.
  std::size_t columns(std::string_view text) const {
    return static_cast<std::size_t>(2 * depth_) + text.size();
  }

  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  int depth_ = 0;
  bool is_apart_ = false;
};

/// `text` with each line moved left by one scope.
inline std::string moved_left(std::string_view text) {
  std::string out;
  bool at_start = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (at_start && text.substr(i, 2) == "  ")
      ++i;
    else
      out += text[i];
    at_start = text[i] == '\n';
  }
  return out;
}

}  // namespace vkmoye::gen::glsl
