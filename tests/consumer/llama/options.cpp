// SPDX-License-Identifier: MIT
#include "options.hpp"

#include <charconv>
#include <cmath>
#include <functional>
#include <map>
#include <stdexcept>

namespace llama {

const char* const kUsage =
    "usage: llama MODEL.gguf (--prompt TEXT | --prompt-tokens 1,2,3) [--print text|tokens]\n"
    "             [--tokens 16] [--ignore-end]\n"
    "             [--temperature 0 [--seed 0] [--top-k 40] [--top-p 0.95]]\n"
    "             [--chunk 512] [--cache f16|f32] [--activations f16|f32] [--device 0]\n"
    "             [--groups 0] [--timings]\n"
    "Reads a Llama model in f32, f16, bf16, or the types q4_0 to q8_0, q2_K to q6_K, iq4_nl and\n"
    "iq4_xs of ggml, also several of them, and continues the prompt, by at most --tokens tokens.\n"
    "It stops earlier at a token that ends a text or an answer, unless --ignore-end is given. A\n"
    "temperature of 0 takes the most likely token; others draw one, the same for the same seed.\n"
    "With --groups above 0, a layer of a token is one launch of so many workgroups, which must\n"
    "run at once: one for each multiprocessor.\n";

namespace {

class Parser {
 public:
  explicit Parser(const std::vector<std::string>& words) : words_(words) {}

  Options parse() {
    while (at_ < words_.size()) {
      const std::string word = words_[at_++];
      const auto flag = flags_.find(word);
      const auto setter = setters_.find(word);
      if (flag != flags_.end()) {
        *flag->second = true;
      } else if (setter != setters_.end() && at_ == words_.size()) {
        refuse(word + " takes a value");
      } else if (setter != setters_.end()) {
        given_[word] = true;
        setter->second(word, words_[at_++]);
      } else if (word.rfind("--", 0) == 0 || !out_.model.empty()) {
        refuse("what is '" + word + "'?");
      } else {
        out_.model = word;
      }
    }
    check();
    if (!reasons_.empty()) throw std::invalid_argument(reasons_);
    return out_;
  }

 private:
  using Setter = std::function<void(const std::string& option, const std::string& value)>;

  void refuse(const std::string& reason) { reasons_ += (reasons_.empty() ? "" : "; ") + reason; }

  void check() {
    if (out_.model.empty()) refuse("there is no model");
    if (given_["--prompt"] == given_["--prompt-tokens"]) {
      refuse("there must be one prompt, as --prompt or as --prompt-tokens");
    }
    if (!given_["--print"]) out_.prints_text = given_["--prompt"];
    for (const char* option : {"--seed", "--top-k", "--top-p"}) {
      if (!given_[option] || out_.sampling.temperature > 0) continue;
      refuse(std::string(option) + " changes nothing without a --temperature above 0");
    }
  }

  // The whole number `value`, at least `least`; refused: `least`.
  std::uint32_t number(const std::string& option, const std::string& value, std::uint32_t least) {
    std::uint32_t out = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), out);
    const bool is_whole = error == std::errc() && end == value.data() + value.size();
    if (is_whole && out >= least && out <= 0x7fffffff) return out;
    const std::string kind = least == 0 ? "whole" : "positive whole";
    refuse(option + " takes " + kind + " numbers below 2^31, not '" + value + "'");
    return least;
  }

  double real(const std::string& option, const std::string& value,
              const std::function<bool(double)>& is_allowed, const std::string& allowed) {
    double out = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), out);
    const bool is_number = error == std::errc() && end == value.data() + value.size();
    if (is_number && is_allowed(out)) return out;
    refuse(option + " takes " + allowed + ", not '" + value + "'");
    return 1;
  }

  bool is_first(const std::string& option, const std::string& value, const std::string& first,
                const std::string& second) {
    if (value != first && value != second) {
      refuse(option + " takes " + first + " or " + second + ", not '" + value + "'");
    }
    return value == first;
  }

  Setter count(std::uint32_t& to, std::uint32_t least) {
    return [this, &to, least](const std::string& option, const std::string& value) {
      to = number(option, value, least);
    };
  }
  Setter type(vkmoye::ScalarType& to) {
    return [this, &to](const std::string& option, const std::string& value) {
      to =
          is_first(option, value, "f16", "f32") ? vkmoye::ScalarType::f16 : vkmoye::ScalarType::f32;
    };
  }

  void read_prompt(const std::string& option, std::string value) {
    out_.prompt.clear();
    for (std::size_t comma = 0; comma != std::string::npos;) {
      comma = value.find(',');
      out_.prompt.push_back(number(option, value.substr(0, comma), 0));
      value.erase(0, comma + 1);
    }
  }

  const std::vector<std::string>& words_;
  std::size_t at_ = 0;
  Options out_;
  std::string reasons_;
  std::map<std::string, bool> given_;
  const std::map<std::string, bool*> flags_ = {{"--ignore-end", &out_.ignores_end},
                                               {"--timings", &out_.has_timings}};
  const std::map<std::string, Setter> setters_ = {
      {"--prompt", [this](const auto&, const auto& value) { out_.text = value; }},
      {"--prompt-tokens",
       [this](const auto& option, const auto& value) { read_prompt(option, value); }},
      {"--print",
       [this](const auto& option, const auto& value) {
         out_.prints_text = is_first(option, value, "text", "tokens");
       }},
      {"--tokens", count(out_.tokens, 1)},
      {"--chunk", count(out_.chunk, 1)},
      {"--device", count(out_.device, 0)},
      {"--groups", count(out_.groups, 0)},
      {"--cache", type(out_.cache)},
      {"--activations", type(out_.activations)},
      {"--seed", count(out_.sampling.seed, 0)},
      {"--top-k", count(out_.sampling.top_k, 1)},
      {"--temperature",
       [this](const auto& option, const auto& value) {
         const auto is_allowed = [](double t) { return std::isfinite(t) && t >= 0; };
         out_.sampling.temperature = real(option, value, is_allowed, "numbers from 0 on");
       }},
      {"--top-p", [this](const auto& option, const auto& value) {
         const auto is_allowed = [](double p) { return p > 0 && p <= 1; };
         out_.sampling.top_p = real(option, value, is_allowed, "numbers above 0, at most 1");
       }}};
};

}  // namespace

Options options_of(const std::vector<std::string>& words) { return Parser(words).parse(); }

}  // namespace llama
