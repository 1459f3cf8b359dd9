// SPDX-License-Identifier: MIT
#include "tokenizer.hpp"

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <variant>

#include "merges.hpp"
#include "utf8.hpp"

namespace llama {
namespace {

constexpr std::string_view kBlank = "\u2581";

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const bool is_found = text.substr(at, from.size()) == from;
    out += is_found ? to : text.substr(at, 1);
    at += is_found ? from.size() : 1;
  }
  return out;
}

// BPE has a printable character for each byte: most of Latin-1 stands for itself, and U+0100, U+0101, .. for the others
// in order, as in GPT-2.
const std::array<std::string, 256>& byte_characters() {
  static const auto table = [] {
    std::array<std::string, 256> out;
    unsigned other = 0x100;
    for (unsigned byte = 0; byte < 256; ++byte) {
      const bool is_printable = (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte != 0xad);
      const unsigned character = is_printable ? byte : other++;
      std::string& text = out[byte];
      if (character >= 0x80) text += static_cast<char>(0xc0 | character >> 6);
      text += static_cast<char>(character < 0x80 ? character : 0x80 | (character & 0x3f));
    }
    return out;
  }();
  return table;
}

std::string as_characters(std::string_view bytes) {
  std::string out;
  for (const char byte : bytes) out += byte_characters()[static_cast<unsigned char>(byte)];
  return out;
}

// The bytes of a piece; itself if it has other characters.
std::string as_bytes(const std::string& piece) {
  static const auto bytes = [] {
    std::unordered_map<std::string_view, char> out;
    for (unsigned i = 0; i < 256; ++i) out.emplace(byte_characters()[i], static_cast<char>(i));
    return out;
  }();
  std::string out;
  for (const std::string_view character : characters(piece)) {
    const auto found = bytes.find(character);
    if (found == bytes.end()) return piece;
    out += found->second;
  }
  return out;
}

std::string byte_piece(unsigned byte) {
  char text[8];
  std::snprintf(text, sizeof text, "<0x%02X>", byte);
  return text;
}

bool is_special(PieceKind kind) {
  return kind == PieceKind::control || kind == PieceKind::user_defined ||
         kind == PieceKind::unknown;
}

}  // namespace

Tokenizer::Tokenizer(const Gguf& gguf) : vocabulary_(vocabulary_of(gguf)) {
  if (vocabulary_.is_bpe) pre_tokenizer_.emplace(vocabulary_.pre);
  const auto count = static_cast<std::uint32_t>(vocabulary_.pieces.size());
  for (std::uint32_t token = 0; token < count; ++token) {
    const std::string& piece = vocabulary_.pieces[token];
    const PieceKind kind = vocabulary_.kinds[token];
    texts_.push_back(piece_text(token));
    if (piece.empty()) continue;
    if (is_special(kind)) specials_.push_back(token);
    if (!is_special(kind) && kind != PieceKind::byte) tokens_.emplace(piece, token);
  }
  std::stable_sort(specials_.begin(), specials_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return vocabulary_.pieces[a].size() > vocabulary_.pieces[b].size();
  });
  for (std::size_t i = 0; i < vocabulary_.merges.size(); ++i) {
    ranks_.emplace(vocabulary_.merges[i], i);
  }
  for (std::uint32_t token = 0; token < count; ++token) {
    if (vocabulary_.kinds[token] != PieceKind::byte || texts_[token].size() != 1) continue;
    byte_tokens_[static_cast<unsigned char>(texts_[token][0])] = token;
  }
  for (unsigned byte = 0; byte < 256; ++byte) {
    if (byte_tokens_[byte]) continue;
    const std::string piece =
        vocabulary_.is_bpe ? byte_characters()[byte] : std::string(1, static_cast<char>(byte));
    if (const auto found = tokens_.find(piece); found != tokens_.end()) {
      byte_tokens_[byte] = found->second;
    }
  }
  if (pre_tokenizer_ && !vocabulary_.adds_bos) vocabulary_.adds_bos = pre_tokenizer_->adds_bos();
  const bool adds_bos = vocabulary_.adds_bos.value_or(!vocabulary_.is_bpe);
  const bool adds_eos = vocabulary_.adds_eos.value_or(false);
  if ((adds_bos && !vocabulary_.bos) || (adds_eos && !vocabulary_.eos)) {
    throw std::runtime_error(std::string("texts are to ") + (adds_bos ? "begin" : "end") +
                             " with a token of their own, but the file does not say which");
  }
  if (!adds_bos) vocabulary_.bos.reset();
  if (!adds_eos) vocabulary_.eos.reset();
}

std::string Tokenizer::piece_text(std::size_t token) const {
  const std::string& piece = vocabulary_.pieces[token];
  switch (vocabulary_.kinds[token]) {
    case PieceKind::control:
    case PieceKind::unknown: return "";
    case PieceKind::user_defined: return piece;
    case PieceKind::byte:
      for (unsigned byte = 0; byte < 256; ++byte) {
        if (piece == byte_piece(byte)) return std::string(1, static_cast<char>(byte));
      }
      [[fallthrough]];
    default: return vocabulary_.is_bpe ? as_bytes(piece) : replaced(piece, kBlank, " ");
  }
}

std::vector<std::uint32_t> Tokenizer::encode(std::string_view text) const {
  std::vector<std::variant<std::string_view, std::uint32_t>> parts = {text};
  for (const std::uint32_t special : specials_) {
    const std::string& piece = vocabulary_.pieces[special];
    if (text.find(piece) == std::string_view::npos) continue;
    decltype(parts) split;
    for (const auto& part : parts) {
      if (const auto* token = std::get_if<std::uint32_t>(&part)) {
        split.emplace_back(*token);
        continue;
      }
      std::string_view rest = std::get<std::string_view>(part);
      for (std::size_t at = 0; (at = rest.find(piece)) != std::string_view::npos;) {
        split.emplace_back(rest.substr(0, at));
        split.emplace_back(special);
        rest.remove_prefix(at + piece.size());
      }
      split.emplace_back(rest);
    }
    parts = std::move(split);
  }
  Tokens out;
  if (vocabulary_.bos) out.push_back(*vocabulary_.bos);
  bool is_after_special = true;
  for (const auto& part : parts) {
    if (const auto* token = std::get_if<std::uint32_t>(&part)) {
      out.push_back(*token);
      is_after_special = true;
      continue;
    }
    const auto between = std::get<std::string_view>(part);
    if (between.empty()) continue;
    if (vocabulary_.is_bpe) {
      append_bpe(between, out);
    } else {
      append_spm(between, is_after_special, out);
    }
    is_after_special = false;
  }
  if (vocabulary_.eos) out.push_back(*vocabulary_.eos);
  return out;
}

void Tokenizer::append_spm(std::string_view text, bool is_after_special, Tokens& out) const {
  const bool adds_space = vocabulary_.adds_space && is_after_special;
  const std::string blanks = (adds_space ? std::string(kBlank) : "") + replaced(text, " ", kBlank);
  const Rank rank = [&](std::string_view left, std::string_view right) -> std::optional<double> {
    const auto found = tokens_.find(joined(left, right));
    if (found == tokens_.end()) return std::nullopt;
    return -vocabulary_.scores[found->second];
  };
  for (const std::string_view part : merged(characters(blanks), rank)) {
    const auto found = tokens_.find(part);
    if (found != tokens_.end()) {
      out.push_back(found->second);
    } else {
      append_bytes(part, out);
    }
  }
}

void Tokenizer::append_bpe(std::string_view text, Tokens& out) const {
  std::string pair;
  const Rank rank = [&](std::string_view left, std::string_view right) -> std::optional<double> {
    pair.assign(left).append(1, ' ').append(right);
    const auto found = ranks_.find(pair);
    if (found == ranks_.end()) return std::nullopt;
    return static_cast<double>(found->second);
  };
  for (const std::string_view word : pre_tokenizer_->words(text)) {
    const std::string printable = as_characters(word);
    const auto whole = tokens_.find(printable);
    if (pre_tokenizer_->takes_whole_words() && whole != tokens_.end()) {
      out.push_back(whole->second);
      continue;
    }
    for (const std::string_view part : merged(characters(printable), rank)) {
      const auto found = tokens_.find(part);
      if (found != tokens_.end()) {
        out.push_back(found->second);
      } else {
        append_bytes(as_bytes(std::string(part)), out);
      }
    }
  }
}

void Tokenizer::append_bytes(std::string_view bytes, Tokens& out) const {
  const auto token_of = [&](char byte) { return byte_tokens_[static_cast<unsigned char>(byte)]; };
  const bool has_all = std::all_of(bytes.begin(), bytes.end(),
                                   [&](char byte) { return token_of(byte).has_value(); });
  if (has_all) {
    for (const char byte : bytes) out.push_back(*token_of(byte));
  } else if (vocabulary_.unknown) {
    out.push_back(*vocabulary_.unknown);
  } else {
    std::string hex;
    for (const char byte : bytes) hex += byte_piece(static_cast<unsigned char>(byte));
    throw std::runtime_error("the vocabulary has no token for '" + std::string(bytes) + "', " +
                             hex);
  }
}

const std::string& Tokenizer::text_of(std::uint32_t token) const {
  if (token < texts_.size()) return texts_[token];
  throw std::runtime_error("token " + std::to_string(token) + " is outside the vocabulary of " +
                           std::to_string(texts_.size()));
}

}  // namespace llama
