// SPDX-License-Identifier: MIT
#include "vocabulary.hpp"

#include <cmath>
#include <unordered_map>
#include <variant>

#include "keys.hpp"

namespace llama {
namespace {

const std::string kGroup = "tokenizer.ggml.";

// The array of that name, or an empty one.
template <class T>
T array_of(const Gguf& gguf, Keys& keys, const std::string& name) {
  const auto found = gguf.values.find(kGroup + name);
  if (found == gguf.values.end()) return {};
  if (const T* array = std::get_if<T>(&found->second)) return *array;
  keys.refuse("'" + kGroup + name + "' is no array of " +
              (std::is_same_v<T, Texts> ? "strings" : "numbers"));
  return {};
}

std::optional<bool> flag_of(const Gguf& gguf, Keys& keys, const std::string& name) {
  const auto found = gguf.values.find(kGroup + name);
  if (found == gguf.values.end()) return std::nullopt;
  if (const bool* flag = std::get_if<bool>(&found->second)) return *flag;
  keys.refuse("'" + kGroup + name + "' is no bool");
  return std::nullopt;
}

std::optional<std::uint32_t> token_of(Keys& keys, const std::string& name,
                                      std::optional<std::uint32_t> otherwise, std::size_t count) {
  const std::string key = kGroup + name;
  if (!keys.has(key)) return otherwise && *otherwise < count ? otherwise : std::nullopt;
  const std::uint32_t token = keys.count(key);
  if (token < count) return token;
  keys.refuse("'" + key + "' is " + std::to_string(token) + ", but there are " +
              std::to_string(count) + " tokens");
  return std::nullopt;
}

void check(const Vocabulary& vocabulary, Keys& keys) {
  const std::size_t count = vocabulary.pieces.size();
  const auto equal = [&](const char* name, std::size_t size) {
    if (size == count) return;
    keys.refuse(std::to_string(size) + " numbers in '" + kGroup + name + "', but " +
                std::to_string(count) + " tokens");
  };
  equal("token_type", vocabulary.kinds.size());
  if (!vocabulary.is_bpe) equal("scores", vocabulary.scores.size());
  for (const double score : vocabulary.scores) {
    if (std::isnan(score)) return keys.refuse("a number in '" + kGroup + "scores' is NaN");
  }
  std::unordered_map<std::string, std::size_t> numbers;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string& piece = vocabulary.pieces[i];
    const auto [other, is_new] = numbers.emplace(piece, i);
    if (piece.empty() || is_new) continue;
    return keys.refuse("tokens " + std::to_string(other->second) + " and " + std::to_string(i) +
                       " are both '" + piece + "'");
  }
}

}  // namespace

Vocabulary vocabulary_of(const Gguf& gguf) {
  Keys keys(gguf);
  Vocabulary out;
  const std::string model = keys.text(kGroup + "model", "");
  if (model != "llama" && model != "gpt2") {
    keys.refuse(model.empty() ? "the file has no tokenizer ('" + kGroup + "model')"
                              : "the tokenizer '" + model + "' (" + kGroup +
                                    "model) is unknown; this program knows 'llama' (SPM) and "
                                    "'gpt2' (BPE)");
    keys.throw_if_refused();
  }
  out.is_bpe = model == "gpt2";
  out.pre = keys.text(kGroup + "pre", "default");
  out.pieces = array_of<Texts>(gguf, keys, "tokens");
  const std::size_t count = out.pieces.size();
  if (count == 0) keys.refuse("'" + kGroup + "tokens' has none");
  const Numbers kinds = array_of<Numbers>(gguf, keys, "token_type");
  for (const double kind : kinds) {
    const bool is_known = kind >= 1 && kind <= 6 && kind == std::floor(kind);
    out.kinds.push_back(is_known ? static_cast<PieceKind>(kind) : PieceKind::unused);
  }
  if (!keys.has(kGroup + "token_type")) out.kinds.resize(count, PieceKind::normal);
  out.scores = array_of<Numbers>(gguf, keys, "scores");
  out.merges = array_of<Texts>(gguf, keys, "merges");
  const auto of_spm = [&](std::uint32_t token) {
    return out.is_bpe ? std::nullopt : std::optional(token);
  };
  out.bos = token_of(keys, "bos_token_id", of_spm(1), count);
  out.eos = token_of(keys, "eos_token_id", of_spm(2), count);
  out.unknown = token_of(keys, "unknown_token_id", of_spm(0), count);
  out.adds_bos = flag_of(gguf, keys, "add_bos_token");
  out.adds_eos = flag_of(gguf, keys, "add_eos_token");
  out.adds_space = flag_of(gguf, keys, "add_space_prefix").value_or(!out.is_bpe);
  check(out, keys);
  keys.throw_if_refused();
  return out;
}

std::set<std::uint32_t> ends_of(const Gguf& gguf) {
  static const std::set<std::string> names = {
      "</s>",          "<|eot_id|>",    "<|eom_id|>",        "<|end_of_text|>", "<|im_end|>",
      "<|endoftext|>", "<end_of_turn>", "<|end|>",           "<EOT>",           "[EOS]",
      "<eos>",         "<|return|>",    "<end_of_utterance>"};
  Keys keys(gguf);
  std::set<std::uint32_t> out;
  for (const char* name : {"eos_token_id", "eot_token_id", "eom_token_id"}) {
    if (keys.has(kGroup + name)) out.insert(keys.count(kGroup + name));
  }
  const Texts pieces = array_of<Texts>(gguf, keys, "tokens");
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (names.count(pieces[i]) != 0) out.insert(static_cast<std::uint32_t>(i));
  }
  keys.throw_if_refused();
  return out;
}

}  // namespace llama
