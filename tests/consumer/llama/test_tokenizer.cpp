// SPDX-License-Identifier: MIT
// Tokenizers of random vocabularies against the definition of joining.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "pre_tokenizer.hpp"
#include "test.hpp"
#include "test_vocabulary.hpp"
#include "utf8.hpp"

namespace llama {
namespace {

const std::vector<std::string>& hard_parts() {
  static const std::vector<std::string> parts = {"a",          "b",
                                                 "ab",         "e",
                                                 "e\u0301",    "\u00e9",
                                                 " ",          "   ",
                                                 "\t",         "\n",
                                                 "\r\n",       "1",
                                                 "2345",       "'s",
                                                 "'LL",        "\"",
                                                 "\u00b2",     "\u4e2d\u6587",
                                                 "\U0001f999", "\u200d",
                                                 "\u00a0",     "\u180e",
                                                 "\u2581",     "\xff",
                                                 "\xc3",       "\xed\xa0\x80",
                                                 "\xf0\x9f",   "z"};
  return parts;
}

std::string random_text(std::mt19937& random) {
  std::string out;
  for (std::size_t i = random() % 20; i > 0; --i) {
    out += hard_parts()[random() % hard_parts().size()];
  }
  return out;
}

// Joins by definition: the best of all pairs of neighbours, again and again.
template <class R>
Texts joined_by_definition(Texts parts, const R& rank) {
  for (;;) {
    std::optional<double> best;
    std::size_t place = 0;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      const std::optional<double> one = rank(parts[i], parts[i + 1]);
      if (!one || (best && *best <= *one)) continue;
      best = one;
      place = i;
    }
    if (!best) return parts;
    parts[place] += parts[place + 1];
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(place) + 1);
  }
}

std::optional<std::uint32_t> token_of(const TestVocabulary& words, const std::string& piece) {
  const auto found = std::find(words.pieces.begin(), words.pieces.end(), piece);
  if (found == words.pieces.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - words.pieces.begin());
}

// Random vocabularies, whose pieces are made of others, with many equal scores.
int spm_by_definition() {
  std::mt19937 random(1);
  for (int round = 0; round < 30; ++round) {
    TestVocabulary words = spm_vocabulary();
    for (const char* piece : {"\u2581", "a", "b", "e", "s", "\u00e9", "\n", "1", "\u4e2d"}) {
      words.add(piece, PieceKind::normal, -100);
    }
    while (words.pieces.size() < 340) {
      const auto one = [&] { return words.pieces[259 + random() % (words.pieces.size() - 259)]; };
      const std::string piece = one() + one();
      if (token_of(words, piece)) continue;
      words.add(piece, PieceKind::normal, -static_cast<double>(random() % 10));
    }
    const Gguf file = words.file();
    const Tokenizer tokenizer(file);
    const auto rank = [&](const std::string& a, const std::string& b) -> std::optional<double> {
      const auto token = token_of(words, a + b);
      if (!token || *token < 259) return std::nullopt;
      return -words.scores[*token];
    };
    for (int i = 0; i < 20; ++i) {
      const std::string text = random_text(random);
      std::string blanks = text.empty() ? "" : "\u2581";
      for (const char c : text) blanks += c == ' ' ? "\u2581" : std::string(1, c);
      Texts parts;
      for (const std::string_view part : characters(blanks)) parts.emplace_back(part);
      Tokens expected = {1};
      for (const std::string& part : joined_by_definition(parts, rank)) {
        if (const auto token = token_of(words, part)) {
          expected.push_back(*token);
          continue;
        }
        for (const char byte : part) expected.push_back(3 + static_cast<unsigned char>(byte));
      }
      const Tokens got = tokenizer.encode(text);
      if (got != expected)
        return differs("SPM of '" + text + "'", numbers_text(got), numbers_text(expected));
      // U+2581 in a text is a blank afterwards.
      std::string spaced = text.empty() ? "" : " ";
      for (const std::string_view part : characters(text)) spaced += part == "\u2581" ? " " : part;
      if (decoded(tokenizer, got) != spaced) return differs("SPM", decoded(tokenizer, got), spaced);
    }
  }
  return 0;
}

int bpe_by_definition() {
  std::mt19937 random(2);
  for (const char* pre : {"llama-bpe", "qwen2", "tekken", "gpt-2", "smollm", "default"}) {
    TestVocabulary words = bpe_vocabulary(pre);
    words.keys = {{"add_bos_token", false}};
    while (words.merges.size() < 150) {
      const auto one = [&]() -> std::string {  // half of them parts of what texts have
        if (random() % 2 == 0) return words.pieces[random() % words.pieces.size()];
        const std::string& part = hard_parts()[random() % hard_parts().size()];
        return printable(part.substr(random() % part.size(), 1 + random() % 3));
      };
      const std::string left = one(), right = one();
      if (!token_of(words, left) || !token_of(words, right)) {
        if (!token_of(words, left) && characters(left).size() == 2) {
          const auto both = characters(left);
          words.merges.push_back(std::string(both[0]) + " " + std::string(both[1]));
          words.add(left);
        }
        continue;
      }
      if (token_of(words, left + right)) continue;
      words.merges.push_back(left + " " + right);
      words.add(left + right);
    }
    words.add(printable(" e'"));  // a piece that no merges lead to, and no word
    words.add(printable("2345"));
    words.add(printable("ababab"));
    const Gguf file = words.file();
    const Tokenizer tokenizer(file);
    const PreTokenizer cut(pre);
    const auto rank = [&](const std::string& a, const std::string& b) -> std::optional<double> {
      const auto found = std::find(words.merges.begin(), words.merges.end(), a + " " + b);
      if (found == words.merges.end()) return std::nullopt;
      return static_cast<double>(found - words.merges.begin());
    };
    for (int i = 0; i < 60; ++i) {
      const std::string text = i == 0 ? "ababab" : random_text(random);
      Tokens expected;
      for (const std::string_view word : cut.words(text)) {
        const auto whole = token_of(words, printable(word));
        Texts parts;
        for (const char byte : word) parts.push_back(printable({&byte, 1}));
        if (whole && cut.takes_whole_words()) parts = {printable(word)};
        for (const std::string& part : joined_by_definition(parts, rank)) {
          expected.push_back(token_of(words, part).value());
        }
      }
      const Tokens got = tokenizer.encode(text);
      const std::string what = std::string("BPE of ") + pre + " of '" + text + "'";
      if (got != expected) return differs(what, numbers_text(got), numbers_text(expected));
      if (decoded(tokenizer, got) != text) return differs(what, decoded(tokenizer, got), text);
    }
  }
  return 0;
}

}  // namespace

int check_tokenizers() { return spm_by_definition() + bpe_by_definition(); }

}  // namespace llama
