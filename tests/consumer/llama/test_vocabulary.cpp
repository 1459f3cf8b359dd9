// SPDX-License-Identifier: MIT
#include "test_vocabulary.hpp"

#include <cstdio>

#include "test.hpp"
#include "utf8.hpp"

namespace llama {
namespace {

std::string hex_piece(unsigned byte) {
  char text[8];
  std::snprintf(text, sizeof text, "<0x%02X>", byte);
  return text;
}

// The character of a byte in BPE, found by counting, as GPT-2 defines it.
std::string printable_byte(unsigned byte) {
  const auto is_kept = [](unsigned b) {
    return (b >= '!' && b <= '~') || (b >= 0xa1 && b <= 0xac) || b >= 0xae;
  };
  unsigned character = byte;
  if (!is_kept(byte)) {
    character = 256;
    for (unsigned b = 0; b < byte; ++b) character += is_kept(b) ? 0 : 1;
  }
  if (character < 0x80) return std::string(1, static_cast<char>(character));
  return {static_cast<char>(0xc0 + character / 64), static_cast<char>(0x80 + character % 64)};
}

}  // namespace

std::uint32_t TestVocabulary::add(const std::string& piece, PieceKind kind, double score) {
  pieces.push_back(piece);
  kinds.push_back(static_cast<double>(kind));
  scores.push_back(score);
  return static_cast<std::uint32_t>(pieces.size() - 1);
}

Gguf TestVocabulary::file() const {
  const std::string group = "tokenizer.ggml.";
  Gguf out;
  out.values = {{group + "model", model},
                {group + "tokens", pieces},
                {group + "token_type", kinds},
                {group + "scores", scores},
                {group + "merges", merges}};
  if (!pre.empty()) out.values[group + "pre"] = pre;
  for (const auto& [key, value] : keys) out.values[group + key] = value;
  return out;
}

std::string numbers_text(const Tokens& tokens) {
  std::string out;
  for (const std::uint32_t token : tokens) out += (out.empty() ? "" : ",") + std::to_string(token);
  return out;
}

int differs(const std::string& what, const std::string& got, const std::string& expected) {
  return got == expected ? 0 : failed(what, "'" + got + "', not '" + expected + "'");
}

TestVocabulary spm_vocabulary() {
  TestVocabulary out;
  out.add("<unk>", PieceKind::unknown);
  out.add("<s>", PieceKind::control);
  out.add("</s>", PieceKind::control);
  for (unsigned byte = 0; byte < 256; ++byte) out.add(hex_piece(byte), PieceKind::byte);
  return out;
}

std::string printable(std::string_view bytes) {
  std::string out;
  for (const char byte : bytes) out += printable_byte(static_cast<unsigned char>(byte));
  return out;
}

TestVocabulary bpe_vocabulary(const std::string& pre) {
  TestVocabulary out;
  out.model = "gpt2";
  out.pre = pre;
  for (unsigned byte = 0; byte < 256; ++byte) out.add(printable_byte(byte));
  return out;
}

std::string decoded(const Tokenizer& tokenizer, const Tokens& tokens) {
  std::string out;
  TextStream stream;
  for (const std::uint32_t token : tokens) out += stream.append(tokenizer.text_of(token));
  return out + stream.rest();
}

}  // namespace llama
