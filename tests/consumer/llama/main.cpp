// SPDX-License-Identifier: MIT
// Continues a prompt: llama MODEL.gguf --prompt "Once upon a time" --tokens 100. The text appears token by token.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "decoder.hpp"
#include "options.hpp"
#include "sampling.hpp"
#include "tokenizer.hpp"
#include "utf8.hpp"

namespace {

void print(const char* what, const std::vector<llama::KernelTime>& times) {
  double total = 0;
  for (const llama::KernelTime& time : times) total += time.microseconds;
  std::printf("\n%-12s %8s %12s %8s\n", what, "kernels", "us", "share");
  for (const llama::KernelTime& time : times) {
    std::printf("%-12s %8zu %12.1f %6.1f %%\n", time.label.c_str(), time.kernels, time.microseconds,
                100 * time.microseconds / total);
  }
  std::printf("%-12s %8s %12.1f\n", "all", "", total);
}

// Prints tokens as they come: as text, which a token that ends it is no part of, or as numbers.
class Output {
 public:
  explicit Output(const llama::Tokenizer* tokenizer) : tokenizer_(tokenizer) {}

  void add(std::uint32_t token, bool is_end) {
    if (tokenizer_ == nullptr) {
      write((is_first_ ? "" : ",") + std::to_string(token));
    } else if (!is_end) {
      write(stream_.append(tokenizer_->text_of(token)));
    }
    is_first_ = false;
  }
  void end() { write(stream_.rest() + "\n"); }

 private:
  static void write(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  }

  const llama::Tokenizer* tokenizer_;  // null: numbers
  llama::TextStream stream_;
  bool is_first_ = true;
};

std::vector<std::uint32_t> prompt_of(const llama::Options& options,
                                     const std::optional<llama::Tokenizer>& tokenizer) {
  if (!options.text) return options.prompt;
  const std::vector<std::uint32_t> out = tokenizer->encode(*options.text);
  if (out.empty()) throw std::invalid_argument("the text of the prompt has no tokens");
  return out;
}

int run(const llama::Options& options) {
  const llama::MappedFile file(options.model);
  const llama::Gguf gguf = llama::parse_gguf(file.bytes());
  const llama::Model model = llama::model_of(gguf);
  std::optional<llama::Tokenizer> tokenizer;
  if (options.text || options.prints_text) {
    tokenizer.emplace(gguf);
    if (tokenizer->size() != model.sizes.vocabulary) {
      throw std::runtime_error("the tokenizer has " + std::to_string(tokenizer->size()) +
                               " tokens, but the model " + std::to_string(model.sizes.vocabulary));
    }
  }
  const std::vector<std::uint32_t> prompt = prompt_of(options, tokenizer);
  const auto ends = options.ignores_end ? std::set<std::uint32_t>() : llama::ends_of(gguf);
  std::optional<llama::Sampler> sampler;
  if (options.sampling.temperature > 0) sampler.emplace(options.sampling);

  const auto length = static_cast<std::uint32_t>(prompt.size());
  llama::Decoder decoder(model, {.device = options.device,
                                 .chunk = std::min(options.chunk, length),
                                 .places = length + options.tokens - 1,
                                 .cache = options.cache,
                                 .activations = options.activations,
                                 .groups = options.groups,
                                 .has_timings = options.has_timings,
                                 .reads_logits = sampler.has_value()});
  using Clock = std::chrono::steady_clock;
  const auto seconds_since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  const auto drawn = [&](std::uint32_t likely) {
    return sampler ? sampler->choose(decoder.logits()) : likely;
  };
  const auto start = Clock::now();
  std::uint32_t token = drawn(decoder.read(prompt));
  const double of_prompt = seconds_since(start);
  const auto first = Clock::now();
  Output output(options.prints_text ? &*tokenizer : nullptr);
  std::uint32_t further = 0;
  for (;; ++further) {
    const bool is_end = ends.count(token) != 0;
    output.add(token, is_end);
    if (is_end || further + 1 == options.tokens) break;
    token = drawn(sampler ? decoder.read({&token, 1}) : decoder.next());
  }
  decoder.require_arrivals();
  output.end();
  const double of_tokens = seconds_since(first);
  std::fprintf(stderr, "llama: %u tokens of the prompt in %.1f ms", length, 1000 * of_prompt);
  if (further > 0) {
    std::fprintf(stderr, "; each of %u further tokens in %.2f ms", further,
                 1000 * of_tokens / further);
  }
  if (ends.count(token) != 0) std::fprintf(stderr, "; token %u is an end", token);
  std::fprintf(stderr, "\n");
  if (options.has_timings) {
    std::printf("\n%s\n", decoder.device_name().c_str());
    print("prompt", decoder.chunk_times());
    if (further > 0) print("token", decoder.token_times());
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    return run(llama::options_of({arguments + 1, arguments + count}));
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "llama: %s\n%s", error.what(), llama::kUsage);
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "llama: %s\n", error.what());
    return 1;
  }
}
