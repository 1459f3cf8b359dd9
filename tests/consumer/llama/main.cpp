// SPDX-License-Identifier: MIT
// Continues a prompt by the most likely tokens: llama MODEL.gguf --prompt-tokens 1,2,3 --tokens 16. There is no
// tokenizer: tokens are their numbers in the vocabulary of the file.

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "decoder.hpp"

namespace {

constexpr const char* kUsage =
    "usage: llama MODEL.gguf --prompt-tokens 1,2,3 [--tokens 16] [--chunk 512] [--cache f16|f32]\n"
    "             [--activations f16|f32] [--device 0] [--timings]\n"
    "Reads a Llama model in f32, f16, bf16, or the types q4_0 to q8_0, q2_K to q6_K, iq4_nl and\n"
    "iq4_xs of ggml, also several of them, and prints the numbers of the next tokens.\n";

struct Options {
  std::string model;
  std::vector<std::uint32_t> prompt;
  std::uint32_t tokens = 16, chunk = 512, device = 0;
  vkmoye::ScalarType cache = vkmoye::ScalarType::f16, activations = vkmoye::ScalarType::f16;
  bool has_timings = false;
};

std::uint32_t number_of(const std::string& text, const std::string& option) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number > 0x7fffffff) {
    throw std::invalid_argument(option + " takes whole numbers below 2^31, not '" + text + "'");
  }
  return number;
}

std::vector<std::uint32_t> numbers_of(std::string text, const std::string& option) {
  std::vector<std::uint32_t> out;
  for (std::size_t comma = 0; comma != std::string::npos;) {
    comma = text.find(',');
    out.push_back(number_of(text.substr(0, comma), option));
    text.erase(0, comma + 1);
  }
  return out;
}

vkmoye::ScalarType type_of(const std::string& text, const std::string& option) {
  if (text != "f16" && text != "f32") {
    throw std::invalid_argument(option + " takes f16 or f32, not '" + text + "'");
  }
  return text == "f16" ? vkmoye::ScalarType::f16 : vkmoye::ScalarType::f32;
}

Options options_of(const std::vector<std::string>& words) {
  Options out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const auto value = [&] {
      if (i + 1 == words.size()) throw std::invalid_argument(word + " takes a value");
      return words[++i];
    };
    if (word == "--prompt-tokens") {
      out.prompt = numbers_of(value(), word);
    } else if (word == "--tokens") {
      out.tokens = number_of(value(), word);
    } else if (word == "--chunk") {
      out.chunk = number_of(value(), word);
    } else if (word == "--device") {
      out.device = number_of(value(), word);
    } else if (word == "--cache") {
      out.cache = type_of(value(), word);
    } else if (word == "--activations") {
      out.activations = type_of(value(), word);
    } else if (word == "--timings") {
      out.has_timings = true;
    } else if (word.rfind("--", 0) == 0 || !out.model.empty()) {
      throw std::invalid_argument("what is '" + word + "'?");
    } else {
      out.model = word;
    }
  }
  if (out.model.empty() || out.prompt.empty() || out.tokens == 0 || out.chunk == 0) {
    throw std::invalid_argument("a model, a prompt, and at least one token and a chunk of one");
  }
  return out;
}

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

int run(const Options& options) {
  const llama::MappedFile file(options.model);
  const llama::Gguf gguf = llama::parse_gguf(file.bytes());
  const llama::Model model = llama::model_of(gguf);
  const auto length = static_cast<std::uint32_t>(options.prompt.size());
  llama::Decoder decoder(model, {.device = options.device,
                                 .chunk = std::min(options.chunk, length),
                                 .places = length + options.tokens - 1,
                                 .cache = options.cache,
                                 .activations = options.activations,
                                 .has_timings = options.has_timings});
  using Clock = std::chrono::steady_clock;
  const auto seconds_since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  const auto start = Clock::now();
  std::uint32_t token = decoder.read(options.prompt);
  const double of_prompt = seconds_since(start);
  const auto first = Clock::now();
  std::printf("%u", token);
  for (std::uint32_t i = 1; i < options.tokens; ++i) {
    token = decoder.next();
    std::printf(",%u", token);
    std::fflush(stdout);
  }
  std::printf("\n");
  const double of_tokens = seconds_since(first);
  std::fprintf(stderr, "llama: %u tokens of the prompt in %.1f ms", length, 1000 * of_prompt);
  if (options.tokens > 1) {
    std::fprintf(stderr, "; each of %u further tokens in %.2f ms", options.tokens - 1,
                 1000 * of_tokens / (options.tokens - 1));
  }
  std::fprintf(stderr, "\n");
  if (options.has_timings) {
    std::printf("\n%s\n", decoder.device_name().c_str());
    print("prompt", decoder.chunk_times());
    if (options.tokens > 1) print("token", decoder.token_times());
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    return run(options_of({arguments + 1, arguments + count}));
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "llama: %s\n%s", error.what(), kUsage);
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "llama: %s\n", error.what());
    return 1;
  }
}
