// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "comparison.hpp"
#include "decoder.hpp"
#include "reference.hpp"
#include "test.hpp"
#include "tokenizer.hpp"

namespace llama {
namespace {

using Tokens = std::vector<std::uint32_t>;

// A file of JSON from behind `key` on.
std::string behind(const std::string& path, const std::string& key) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  const std::size_t begin = text.str().find(key);
  if (begin == std::string::npos) throw std::runtime_error(path + " has no " + key);
  return text.str().substr(begin + key.size());
}

// The array of whole numbers "tokens".
Tokens tokens_of(const std::string& path) {
  std::istringstream numbers(behind(path, "\"tokens\": ["));
  Tokens out;
  for (std::uint32_t number = 0; numbers >> number; numbers.ignore(1)) out.push_back(number);
  return out;
}

// The string "text", whose only escapes are a line feed and a quotation mark.
std::string story_text_of(const std::string& path) {
  const std::string json = behind(path, "\"text\": \"");
  std::string out;
  for (std::size_t i = 0; json.at(i) != '"'; ++i) {
    const bool is_escaped = json[i] == '\\';
    if (is_escaped) ++i;
    if (is_escaped && json.at(i) != 'n' && json[i] != '"') throw std::runtime_error("an escape");
    out += is_escaped && json[i] == 'n' ? '\n' : json[i];
  }
  return out;
}

// The tokens of the story are its text; that text, and others, come back from their tokens.
void check_story(const Gguf& gguf, const Tokens& story, const std::string& text) {
  const Tokenizer tokenizer(gguf);
  const auto decoded = [&](const Tokens& tokens) {
    std::string out;
    for (const std::uint32_t token : tokens) out += tokenizer.text_of(token);
    return out;
  };
  if (decoded(story) != text) throw std::runtime_error("its text is '" + decoded(story) + "'");
  // The blank at the beginning is added to each text.
  if (tokenizer.encode(text.substr(1)) != story)
    throw std::runtime_error("the text has other tokens");
  const std::string other = "Tim's caf\u00e9,\r\n 3  \U0001f999\U0001f999 \xff</s";
  if (decoded(tokenizer.encode(other)) != " " + other) throw std::runtime_error("a text is lost");
}

// A part of the story is the prompt; the decoder goes on by itself, or is given each token if it rounds.
struct Run {
  std::uint32_t prompt, chunk, tokens;
  vkmoye::ScalarType type;  // of the cache and of activations
};

void check(const Run& run, const Model& model, const Tokens& story,
           const std::vector<std::vector<double>>& logits) {
  Decoder decoder(model, {.chunk = run.chunk,
                          .places = run.prompt + run.tokens,
                          .cache = run.type,
                          .activations = run.type,
                          .reads_logits = true});
  const bool is_rounded = run.type == vkmoye::ScalarType::f16 || decoder.has_matrix_units();
  const std::span<const std::uint32_t> all(story);
  double largest = 0;
  std::uint32_t token = decoder.read(all.first(run.prompt));
  for (std::size_t i = run.prompt;; ++i) {
    const double part = compare(logits.at(i - 1), decoder.logits(), token, allowed(is_rounded));
    largest = std::max(largest, part);
    if (!is_rounded && token != story.at(i)) {
      throw std::runtime_error("token " + std::to_string(i) + " is " + std::to_string(token) +
                               ", not " + std::to_string(story.at(i)));
    }
    if (i + 1 == run.prompt + run.tokens) break;
    token = is_rounded ? decoder.read(all.subspan(i, 1)) : decoder.next();
  }
  std::printf(
      "stories260K in %s, %u tokens after %u in parts of %u: right, error / allowed is at "
      "most %.2g\n",
      std::string(to_string(run.type)).c_str(), run.tokens, run.prompt, run.chunk, largest);
}

}  // namespace

int check_real_model(const std::string& folder) {
  const std::string path = folder + "/stories260K.gguf";
  if (!std::filesystem::exists(path)) {
    std::printf("stories260K: left out, there is no %s\n", path.c_str());
    return 0;
  }
  try {
    const MappedFile file(path);
    const Gguf gguf = parse_gguf(file.bytes());
    const Model model = model_of(gguf);
    const Tokens story = tokens_of(folder + "/expected_bos.json");
    check_story(gguf, story, story_text_of(folder + "/expected_bos.json"));
    Reference reference(model);
    std::vector<std::vector<double>> logits;
    for (std::size_t i = 0; i + 1 < story.size(); ++i) {
      logits.push_back(reference.logits(story[i]));
      const auto best = std::max_element(logits.back().begin(), logits.back().end());
      if (best - logits.back().begin() != std::ptrdiff_t{story[i + 1]}) {
        throw std::runtime_error("the definition differs at token " + std::to_string(i + 1));
      }
    }
    using vkmoye::ScalarType;
    const auto after = [&](std::uint32_t prompt) {
      return static_cast<std::uint32_t>(story.size()) - prompt;
    };
    for (const Run& run : {Run{1, 1, after(1), ScalarType::f32}, Run{50, 16, 20, ScalarType::f32},
                           Run{50, 16, 60, ScalarType::f16}}) {
      check(run, model, story, logits);
    }
  } catch (const std::exception& error) {
    std::printf("stories260K: WRONG: %s\n", error.what());
    return 1;
  }
  return 0;
}

}  // namespace llama
