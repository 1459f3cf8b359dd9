// SPDX-License-Identifier: MIT
#include "utf8.hpp"

namespace llama {

Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {Character::State::valid, 1};
  const std::size_t bytes = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (lead < 0xc2 || lead > 0xf4) return {Character::State::invalid, 1};
  for (std::size_t i = 1; i < bytes; ++i) {
    if (i == text.size()) return {Character::State::incomplete, i};
    // Longer forms, surrogates and numbers above U+10FFFF show in the second byte.
    const bool is_second = i == 1;
    const unsigned least = is_second && lead == 0xe0   ? 0xa0
                           : is_second && lead == 0xf0 ? 0x90
                                                       : 0x80;
    const unsigned most = is_second && lead == 0xed   ? 0x9f
                          : is_second && lead == 0xf4 ? 0x8f
                                                      : 0xbf;
    if (byte(i) < least || byte(i) > most) return {Character::State::invalid, 1};
  }
  return {Character::State::valid, bytes};
}

std::vector<std::string_view> characters(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const Character character = first_character(text);
    const bool is_valid = character.state == Character::State::valid;
    out.push_back(text.substr(0, is_valid ? character.bytes : 1));
    text.remove_prefix(out.back().size());
  }
  return out;
}

std::string TextStream::append(std::string_view bytes) {
  waiting_ += bytes;
  std::size_t whole = 0;
  while (whole < waiting_.size()) {
    const Character character = first_character(std::string_view(waiting_).substr(whole));
    if (character.state == Character::State::incomplete) break;
    whole += character.bytes;
  }
  std::string out = waiting_.substr(0, whole);
  waiting_.erase(0, whole);
  return out;
}

}  // namespace llama
