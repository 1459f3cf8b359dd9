// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model.hpp"
#include "pre_tokenizer.hpp"
#include "random_model.hpp"
#include "reference.hpp"
#include "test.hpp"
#include "test_vocabulary.hpp"
#include "tokenizer.hpp"
#include "utf8.hpp"

namespace llama {
namespace {

// What the published expressions match in Python's module regex.
int check_words() {
  struct Case {
    const char *name, *text, *words;
  };
  constexpr const char* kQuoted = "It's WE'LL 12345 x\u00b2";
  constexpr const char* kBlanks = "a   b\t\tc\r\n\r\n  d \n e";
  constexpr const char* kUnicode =
      "e\u0301 caf\u00e9! ...\n \U0001f999\U0001f999a\u00a0b\u180e\u200bc";
  int wrong = 0;
  for (const Case& test : std::vector<Case>{
           {"llama-bpe", kQuoted, "It|'s| WE|'LL| |123|45| x|\u00b2"},
           {"llama-bpe", kBlanks, "a|  | b|\t|\tc|\r\n\r\n| | d| \n| e"},
           {"llama-bpe", kUnicode,
            "e|\u0301| caf\u00e9|!| ...\n| \U0001f999\U0001f999|a|\u00a0b|\u180e\u200b|c"},
           {"llama-bpe", "", ""},
           {"llama-bpe", "  ", "  "},
           {"llama-bpe", "a\xff\xfe b\xc3", "a|\xff\xfe| b|\xc3"},
           {"qwen2", kQuoted, "It|'s| WE|'LL| |1|2|3|4|5| x|\u00b2"},
           {"qwen2", kBlanks, "a|  | b|\t|\tc|\r\n\r\n| | d| \n| e"},
           {"gpt-2", kQuoted, "It|'s| WE|'|LL| 12345| x|\u00b2"},
           {"gpt-2", kBlanks, "a|  | b|\t|\t|c|\r\n\r\n | d| \n| e"},
           {"gpt-2", kUnicode,
            "e|\u0301| caf\u00e9|!| ...|\n| \U0001f999\U0001f999|a|\u00a0|b|\u180e\u200b|c"},
           {"smollm", kQuoted, "It|'s| WE|'|LL| |1|2|3|4|5| x|\u00b2"},
           {"tekken", kQuoted, "It|'s| WE|'LL| |1|2|3|4|5| x|\u00b2"},
           {"tekken", kUnicode,
            "e\u0301| caf\u00e9|!| ...\n| \U0001f999\U0001f999|a|\u00a0b|\u180e\u200b|c"},
           {"default", kQuoted, "It|'|s| WE|'|LL| |123|45| x|\u00b2"},
           {"default", kUnicode,
            "e|\u0301| caf\u00e9|!| |...|\n| \U0001f999\U0001f999|a|\u00a0|b|\u180e\u200b|c"}}) {
    std::string got;
    for (const std::string_view word : PreTokenizer(test.name).words(test.text)) {
      got += (got.empty() ? "" : "|") + std::string(word);
    }
    wrong += differs(std::string("words of ") + test.name, got, test.words);
  }
  return wrong;
}

int check_specials() {
  int wrong = 0;
  TestVocabulary words = spm_vocabulary();
  const std::uint32_t a = words.add("a"), blank_a = words.add("\u2581a"),
                      blank = words.add("\u2581"),
                      user = words.add("<x y>", PieceKind::user_defined),
                      longer = words.add("<x y>>", PieceKind::user_defined);
  const auto spm = [&](const std::string& what, const std::string& text, const Tokens& expected) {
    const Gguf file = words.file();
    const Tokenizer tokenizer(file);
    wrong += differs("SPM, " + what, numbers_text(tokenizer.encode(text)), numbers_text(expected));
  };
  spm("nothing", "", {1});
  spm("a blank before each text, also after special pieces", "a</s>a", {1, blank_a, 2, blank_a});
  spm("the longest special piece", "a<x y>><x y>", {1, blank_a, longer, user});
  for (const char* piece : {"<0", "<0x", "<0x0", "<0x0A"}) words.add(piece);
  const std::uint32_t almost = words.add("\u2581<0x0A", PieceKind::normal, -1);
  spm("a piece of a byte is no text", "<0x0A>", {1, almost, '>' + 3u});
  spm("bytes", "\U0001f999", {1, blank, 0xf0 + 3, 0x9f + 3, 0xa6 + 3, 0x99 + 3});
  words.keys = {{"add_space_prefix", false}, {"add_bos_token", false}, {"add_eos_token", true}};
  spm("keys", "a a", {a, blank_a, 2});
  words.kinds[3 + 'z'] = static_cast<double>(PieceKind::unused);
  spm("an unknown character", "az", {a, 0, 2});
  const Gguf file = words.file();
  const Tokenizer tokenizer(file);
  wrong += differs("control pieces", decoded(tokenizer, {0, 1, a, 2, user}), "a<x y>");

  TestVocabulary bpe = bpe_vocabulary("llama-bpe");
  const std::uint32_t begin = bpe.add("<|begin_of_text|>", PieceKind::control);
  const std::uint32_t end = bpe.add("<|eot_id|>", PieceKind::control);
  const std::uint32_t eos = bpe.add("stop", PieceKind::control);
  bpe.keys = {{"bos_token_id", std::int64_t{begin}}, {"eos_token_id", std::int64_t{eos}}};
  const Gguf bpe_file = bpe.file();
  wrong += differs("BPE, special pieces", numbers_text(Tokenizer(bpe_file).encode("<|eot_id|>a")),
                   numbers_text({begin, end, 'a' - '!' + std::uint32_t{'!'}}));
  wrong += ends_of(bpe_file) == std::set<std::uint32_t>{end, eos} ? 0 : failed("ends", "others");
  wrong += ends_of(Gguf()).empty() ? 0 : failed("no ends", "some");
  return wrong;
}

int check_refusals() {
  int wrong = 0;
  const auto refused = [&](const TestVocabulary& words, const std::string& reason) {
    const Gguf file = words.file();
    const auto encode = [&] { static_cast<void>(Tokenizer(file).encode("a\xfe")); };
    wrong += lacks(error_of(encode), reason);
  };
  const auto with = [](TestVocabulary words, const std::string& key, const Value& value) {
    words.keys.emplace_back(key, value);
    return words;
  };
  TestVocabulary other = spm_vocabulary();
  other.model = "bert";
  refused(other,
          "the tokenizer 'bert' (tokenizer.ggml.model) is unknown; this program knows "
          "'llama' (SPM) and 'gpt2' (BPE)");
  other.model = "";
  refused(other, "the file has no tokenizer ('tokenizer.ggml.model')");
  refused(bpe_vocabulary("klingon"),
          "the pre-tokenizer 'klingon' (tokenizer.ggml.pre) is unknown; this program knows "
          "'llama-bpe', 'llama3', ");
  refused(with(spm_vocabulary(), "tokens", Numbers{1}),
          "'tokenizer.ggml.tokens' is no array of strings");
  refused(with(spm_vocabulary(), "bos_token_id", std::int64_t{259}),
          "'tokenizer.ggml.bos_token_id' is 259, but there are 259 tokens");
  refused(with(with(spm_vocabulary(), "scores", Numbers{1}), "token_type", Numbers{1, 2}),
          "2 numbers in 'tokenizer.ggml.token_type', but 259 tokens; 1 numbers in "
          "'tokenizer.ggml.scores', but 259 tokens");
  refused(with(spm_vocabulary(), "add_bos_token", std::string("yes")),
          "'tokenizer.ggml.add_bos_token' is no bool");
  refused(bpe_vocabulary("llama-bpe"),
          "texts are to begin with a token of their own, but the file does "
          "not say which");
  other = spm_vocabulary();
  other.add("x");
  other.add("x");
  refused(other, "tokens 259 and 260 are both 'x'");
  other = bpe_vocabulary("gpt-2");
  other.pieces[0xfe] = "other";
  refused(other, "the vocabulary has no token for '\xfe', <0xFE>");
  return wrong;
}

// Each prefix of a text prints all of its whole characters.
int check_stream() {
  int wrong = 0;
  const std::string text = "a\u00e9\u4e2d\U0001f999";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    TextStream stream;
    const std::string first = stream.append(text.substr(0, cut));
    std::string whole;
    for (const std::string_view character : characters(text)) {
      if (whole.size() + character.size() <= cut) whole += character;
    }
    wrong += differs("a part of a text", first, whole);
    wrong += differs("the rest", first + stream.append(text.substr(cut)) + stream.rest(), text);
  }
  // Longer forms, surrogates, beyond U+10FFFF, a lead without its rest: bytes of their own.
  for (const auto& [bytes, count] :
       std::vector<std::pair<std::string, std::size_t>>{{"\xc0\x80", 2},
                                                        {"\xe0\x9f\xbf", 3},
                                                        {"\xed\xa0\x80", 3},
                                                        {"\xf4\x90\x80\x80", 4},
                                                        {"\xf5\x80", 2},
                                                        {"\xc3\x61", 2},
                                                        {"\xf0\x9f\xa6", 3},
                                                        {"\xf4\x8f\xbf\xbf", 1}}) {
    if (characters(bytes).size() != count) wrong += failed("characters", bytes);
  }
  TextStream stream;
  wrong += differs("invalid bytes", stream.append("a\xff\x80z"), "a\xff\x80z");
  return wrong;
}

// The most likely tokens after token 1.
Tokens likely_tokens(const RandomModel& random, std::size_t count) {
  const ReadModel read(random);
  Reference reference(read.model);
  Tokens out = {1};
  while (out.size() <= count) {
    const std::vector<double> logits = reference.logits(out.back());
    out.push_back(static_cast<std::uint32_t>(std::max_element(logits.begin(), logits.end()) -
                                             logits.begin()));
  }
  return out;
}

int write_model(const std::string& folder) {
  TestVocabulary words = spm_vocabulary();
  for (const char* piece : {"\u2581", "a", "\u2581a"}) words.add(piece);
  RandomModel random = small_model();
  random.type = "f32";
  random.vocabulary = static_cast<std::uint32_t>(words.pieces.size());
  random.keys.clear();
  const Tokens likely = likely_tokens(random, 3);
  if (likely[3] == likely[2] || likely[3] == likely[1])
    return failed("tokens", numbers_text(likely));
  words.keys = {{"eos_token_id", std::int64_t{likely[3]}}};
  for (const auto& [key, value] : words.file().values) random.keys.emplace_back(key, value);
  write_file(folder + "/text.gguf", random_model(random));
  return 0;
}

}  // namespace

int check_text(const std::string& folder) {
  const int wrong = check_stream() + check_words() + check_specials() + check_refusals() +
                    check_tokenizers() + (folder.empty() ? 0 : write_model(folder));
  if (wrong == 0) std::printf("text: right\n");
  return wrong;
}

}  // namespace llama
