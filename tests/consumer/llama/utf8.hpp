// SPDX-License-Identifier: MIT
#pragma once
// Characters in UTF-8 (RFC 3629: no surrogates, nothing beyond U+10FFFF, no longer forms), in text that may also have
// bytes that are no character.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace llama {

struct Character {
  enum class State { valid, invalid, incomplete } state;
  std::size_t bytes;  // an invalid byte counts alone
};

/// What `text` begins with; incomplete if it ends before the character does. Precondition: text is not empty.
Character first_character(std::string_view text);

/// The characters of `text`; each byte that belongs to none is a part of its own.
std::vector<std::string_view> characters(std::string_view text);

/// Bytes that arrive in parts, given on as whole characters.
class TextStream {
 public:
  /// What can be printed now: all but an incomplete character at the end, which waits. Invalid bytes are kept.
  std::string append(std::string_view bytes);
  /// What still waits.
  const std::string& rest() const { return waiting_; }

 private:
  std::string waiting_;
};

}  // namespace llama
