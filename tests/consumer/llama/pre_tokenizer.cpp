// SPDX-License-Identifier: MIT
#include "pre_tokenizer.hpp"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <cstddef>
#include <stdexcept>

#include "utf8.hpp"

namespace llama {
namespace {

struct Entry {
  std::vector<const char*> names, expressions;
  bool takes_whole_words = false, adds_bos = false;
};

constexpr const char* kGpt2 =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

const std::vector<Entry>& entries() {
  static const std::vector<Entry> table = {
      {.names = {"llama-bpe", "llama3", "llama-v3", "falcon3"},
       .expressions = {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|)"
                       R"( ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"},
       .takes_whole_words = true,
       .adds_bos = true},
      {.names = {"qwen2", "deepseek-r1-qwen"},
       .expressions = {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|)"
                       R"( ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"}},
      {.names = {"tekken"},  // Mistral Nemo
       .expressions = {R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*)"
                       R"([\p{Ll}\p{Lm}\p{Lo}\p{M}]+|)"
                       R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+)"
                       R"([\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}|)"
                       R"( ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)"},
       .takes_whole_words = true,
       .adds_bos = true},
      {.names = {"gpt-2", "phi-2", "olmo"}, .expressions = {kGpt2}},
      {.names = {"smollm", "starcoder", "refact", "command-r"}, .expressions = {R"(\p{N})", kGpt2}},
      {.names = {"default"},  // of files without a name
       .expressions = {R"([\p{P}\$\+<=>\^~\|]+)", kGpt2, R"(\p{N}+)", "[0-9][0-9][0-9]"}}};
  return table;
}

const Entry& entry_of(const std::string& name) {
  std::string known;
  for (const Entry& entry : entries()) {
    for (const char* one : entry.names) {
      if (name == one) return entry;
      known += (known.empty() ? "'" : ", '") + std::string(one) + "'";
    }
  }
  throw std::runtime_error("the pre-tokenizer '" + name +
                           "' (tokenizer.ggml.pre) is unknown; this program knows " + known);
}

// White space as Unicode defines it: \s of PCRE2 also has U+180E, as Perl does.
std::string with_white_space(const std::string& expression) {
  std::string out;
  for (std::size_t i = 0; i < expression.size(); ++i) {
    const std::string two = expression.substr(i, 2);
    if (two[0] != '\\' || two.size() == 1) {
      out += two[0];
      continue;
    }
    out += two == "\\s" ? "\\p{White_Space}" : two == "\\S" ? "\\P{White_Space}" : two;
    ++i;
  }
  return out;
}

std::string message_of(int error) {
  PCRE2_UCHAR text[200];
  pcre2_get_error_message(error, text, sizeof text);
  return reinterpret_cast<const char*>(text);
}

}  // namespace

struct PreTokenizer::Expression {
  explicit Expression(const std::string& text) {
    const std::string pattern = with_white_space(text);
    int error = 0;
    PCRE2_SIZE place = 0;
    code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                         PCRE2_UTF | PCRE2_UCP, &error, &place, nullptr);
    if (code == nullptr) {
      throw std::runtime_error("PCRE2 refuses '" + pattern + "' at " + std::to_string(place) +
                               ": " + message_of(error));
    }
    pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);  // if it is available: only faster
  }
  ~Expression() { pcre2_code_free(code); }
  Expression(const Expression&) = delete;

  // Appends the parts of `word`, which is UTF-8.
  void cut(std::string_view word, std::vector<std::string_view>& parts) const {
    const std::unique_ptr<pcre2_match_data, void (*)(pcre2_match_data*)> match(
        pcre2_match_data_create(1, nullptr), pcre2_match_data_free);
    std::size_t end = 0;  // of the last part
    while (end < word.size()) {
      const int found = pcre2_match(code, reinterpret_cast<PCRE2_SPTR>(word.data()), word.size(),
                                    end, PCRE2_NO_UTF_CHECK, match.get(), nullptr);
      if (found < 0 && found != PCRE2_ERROR_NOMATCH) {
        throw std::runtime_error("PCRE2 cannot match " + std::to_string(word.size()) +
                                 " bytes: " + message_of(found));
      }
      const PCRE2_SIZE* bounds = pcre2_get_ovector_pointer(match.get());
      const std::size_t first = found < 0 ? word.size() : bounds[0];
      if (first > end) parts.push_back(word.substr(end, first - end));
      end = first;
      if (found < 0) break;
      parts.push_back(word.substr(first, bounds[1] - first));
      end = bounds[1];
    }
  }

  pcre2_code* code;
};

PreTokenizer::PreTokenizer(const std::string& name) {
  const Entry& entry = entry_of(name);
  for (const char* text : entry.expressions) {
    expressions_.push_back(std::make_shared<const Expression>(text));
  }
  takes_whole_words_ = entry.takes_whole_words;
  adds_bos_ = entry.adds_bos;
}

std::vector<std::string_view> PreTokenizer::words(std::string_view text) const {
  std::vector<std::string_view> out;
  bool was_valid = false;
  for (const std::string_view character :
       characters(text)) {  // parts of which PCRE2 takes all or none
    const bool is_valid = first_character(character).state == Character::State::valid;
    if (out.empty() || is_valid != was_valid) {
      out.push_back(character);
    } else {
      out.back() = {out.back().data(), out.back().size() + character.size()};
    }
    was_valid = is_valid;
  }
  for (const auto& expression : expressions_) {
    std::vector<std::string_view> parts;
    for (const std::string_view word : out) {
      if (first_character(word).state == Character::State::valid) {
        expression->cut(word, parts);
      } else {
        parts.push_back(word);
      }
    }
    out = std::move(parts);
  }
  return out;
}

}  // namespace llama
