// SPDX-License-Identifier: MIT
// Runs small random models on a device, smaller ones on the host twin, and both by their definition in f64; compares
// logits and tokens after every token. Usage: llama_test [[FOLDER] --quick | FOLDER [CASE]], where a model of each type
// is also written as a file; CASE is a part of the names of the cases that run. llama_test --real FOLDER runs the model
// stories260K there.

#include "test.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "comparison.hpp"
#include "decoder.hpp"
#include "random_model.hpp"
#include "reference.hpp"
#include "twin_decoder.hpp"

namespace llama {
namespace {

struct Case {
  std::string name;
  RandomModel model;
  std::uint32_t prompt = 5, chunk = 0;  // 0: the whole prompt at once
  vkmoye::ScalarType cache = vkmoye::ScalarType::f32, activations = vkmoye::ScalarType::f32;
  bool packs = false;      // also where packed matrices are slow
  bool on_twin = false;    // not on a device
  bool is_forced = false;  // tokens after the prompt are given, as those of a tied model repeat
  bool is_long = false;    // left out with --quick, as others have its parts
  std::optional<std::uint64_t> max_binding = {};  // as in Plans
  // Steps outside of layers: embedding, weights, norm, logits, argmax, its logit; more for parts of tables.
  std::size_t once = 6;
  std::size_t steps = 7;      // of a token in a layer: one product for q, k, v and one for gate, up
  std::uint32_t tokens = 40;  // after the prompt: more than a block of keys
  std::uint32_t groups = 0;   // as in StepOptions
};

RandomModel tiny(const std::string& type) {
  return {.type = type, .width = 64, .heads = 4, .kv_heads = 2, .hidden = 128, .vocabulary = 50};
}

Case in_f16(Case test) {
  test.name += ", activations and cache of f16";
  test.cache = test.activations = vkmoye::ScalarType::f16;
  return test;
}

// The layers of a token in one launch each.
Case in_one_launch(Case test, std::uint32_t groups) {
  test.name += ", layers as one launch";
  test.groups = groups;
  return test;
}

Case on_twin(Case test) {
  test.name += ", on the twin";
  test.on_twin = true;
  return test;
}

const std::vector<Case>& cases() {
  constexpr auto f16 = vkmoye::ScalarType::f16;
  static const std::vector<Case> all = {
      {.name = "f32", .model = {.type = "f32"}},
      {.name = "f16", .model = {.type = "f16", .kv_heads = 2}, .is_long = true},
      {.name = "q8_0", .model = {.type = "q8_0", .kv_heads = 8}, .is_long = true},
      {.name = "q4_0", .model = {.type = "q4_0", .kv_heads = 2}, .is_long = true},
      {.name = "q4_1 with q8_0",
       .model = {.type = "q4_1", .larger_type = "q8_0", .seed = 3},
       .prompt = 2,
       .is_long = true,
       .steps = 9},
      // Mixed as in a file of type Q4_K_M.
      {.name = "qwen2, q4_K with q6_K, tied, large biases",
       .model = {.type = "q4_K",
                 .larger_type = "q6_K",
                 .architecture = "qwen2",
                 .hidden = 256,
                 .has_output = false,
                 .biases = 20,
                 .seed = 4},
       .prompt = 2,
       .is_forced = true,
       .max_binding = 256 * 144,  // of 331 rows
       .once = 8,
       .steps = 10,
       .tokens = 8},
      // Angles are those of positions up to 92,000.
      {.name = "qwen3, q4_K with q6_K, activations of f16, heads of 128, zeros in norms, long "
               "positions",
       .model = {.type = "q4_K",
                 .larger_type = "q6_K",
                 .architecture = "qwen3",
                 .heads = 4,
                 .kv_heads = 2,
                 .head = 128,
                 .hidden = 256,
                 .has_zero_norms = true,
                 .keys = {{"qwen3.rope.scaling.factor", 1.0 / 8192}},
                 .seed = 4},
       .prompt = 3,
       .activations = f16,
       .is_long = true,
       .steps = 9,
       .tokens = 8},
      // k does not begin where q ends, after 640 bytes, but at the next multiple of 256.
      {.name = "mistral, bf16, five heads, a window that is long enough",
       .model = {.type = "bf16",
                 .architecture = "mistral",
                 .width = 320,
                 .heads = 5,
                 .kv_heads = 1,
                 .keys = {{"mistral.attention.sliding_window", std::int64_t{42}}}},
       .prompt = 2,
       .steps = 9,
       .tokens = 8},
      in_f16({.name = "q4_0, long prompt in chunks",
              .model = {.type = "q4_0", .seed = 2},
              .prompt = 51,
              .chunk = 16,
              .tokens = 8}),
      // Gate and up have more than 4096 rows together: on some GPUs, packed in larger blocks than each alone.
      in_f16({.name = "q4_0, many rows",
              .model = {.type = "q4_0", .hidden = 2304, .seed = 2},
              .packs = true,
              .tokens = 8}),
      {.name = "f32, a residual whose squares are beyond the range",
       .model = {.type = "f32", .layers = 1, .residual_gain = 1e20, .seed = 5},
       .tokens = 4},
      // Rows grow to 2^18 times their size in the first layer.
      in_f16({.name = "f16, a residual that grows",
              .model = {.type = "f16", .residual_gain = 3e4, .seed = 4},
              .tokens = 6}),
      in_f16(
          {.name = "q8_0", .model = {.type = "q8_0", .seed = 2}, .packs = true, .is_long = true}),
      in_f16({.name = "bf16", .model = {.type = "bf16", .seed = 2}, .is_long = true}),
      {.name = "f16, cache of f16, heads of 64, tied, rope factors, partly rotated, scaled scores",
       .model = {.type = "f16",
                 .layers = 3,
                 .width = 192,
                 .heads = 3,
                 .kv_heads = 1,
                 .head = 64,
                 .hidden = 320,
                 .vocabulary = 77,
                 .has_output = false,
                 .has_rope_factors = true,
                 .rotated = 48,
                 .keys = {{"llama.attention.scale", 0.2}}},
       .prompt = 1,
       .cache = f16,
       .is_forced = true},
      on_twin({.name = "f16, rows that are no multiples of 16 bytes, heads of 8",
               .model = {.type = "f16",
                         .width = 36,
                         .heads = 3,
                         .kv_heads = 1,
                         .head = 8,
                         .hidden = 86,
                         .vocabulary = 331},
               .max_binding = 256 * 72,
               .once = 8,
               .steps = 10,
               .tokens = 4}),
      on_twin({.name = "q4_0, cache of f16", .model = tiny("q4_0"), .cache = f16, .tokens = 4}),
      // The last row of x begins at byte 384, where not every device can bind an array.
      on_twin({.name = "f16, rows of 192",
               .model = {.type = "f16",
                         .layers = 1,
                         .width = 192,
                         .heads = 2,
                         .kv_heads = 2,
                         .hidden = 64,
                         .vocabulary = 50,
                         .seed = 2},
               .prompt = 2,
               .activations = f16,
               .tokens = 2}),
      on_twin({.name = "qwen2, biases, cache of f16, partly rotated",
               .model = {.type = "f16",
                         .architecture = "qwen2",
                         .width = 64,
                         .heads = 3,
                         .kv_heads = 1,
                         .head = 24,
                         .hidden = 64,
                         .vocabulary = 50,
                         .has_rope_factors = true,
                         .biases = 1,
                         .rotated = 12},
               .cache = f16,
               .steps = 9,
               .tokens = 2}),
      on_twin(in_f16({.name = "qwen3",
                      .model = {.type = "q4_0",
                                .architecture = "qwen3",
                                .width = 64,
                                .heads = 2,
                                .kv_heads = 1,
                                .head = 160,
                                .hidden = 64,
                                .vocabulary = 331,
                                .seed = 2},
                      .prompt = 2,
                      .max_binding = 320 * 72,
                      .once = 7,
                      .steps = 9,
                      .tokens = 2})),
      on_twin(in_f16({.name = "q8_0", .model = tiny("q8_0"), .is_long = true, .tokens = 2})),
      on_twin(in_one_launch(in_f16({.name = "q4_0", .model = tiny("q4_0"), .tokens = 4}), 3)),
      in_one_launch(in_f16({.name = "q4_0, a prompt of one token",
                            .model = {.type = "q4_0", .kv_heads = 2},
                            .prompt = 1,
                            .is_forced = true,
                            .tokens = 20}),
                    2),
  };
  return all;
}

// Compares what `decoder` computes with the definition, after the prompt and after each token.
template <class D>
void check(const Case& test, const Model& model, D& decoder, bool is_spoiled) {
  const std::size_t of_layer = test.groups != 0 ? 1 : test.steps;
  const std::size_t steps = of_layer * test.model.layers + test.once;
  if (decoder.token_steps() != steps) {
    throw std::runtime_error("a token takes " + std::to_string(decoder.token_steps()) +
                             " steps, not " + std::to_string(steps));
  }
  Reference reference(model);
  std::vector<std::uint32_t> prompt;
  for (std::uint32_t i = 0; i < test.prompt; ++i) {
    prompt.push_back((i * 7919 + 3) % test.model.vocabulary);
  }
  const bool is_rounded = test.cache == vkmoye::ScalarType::f16 ||
                          test.activations == vkmoye::ScalarType::f16 || decoder.has_matrix_units();
  double largest = 0;
  std::vector<double> expected;
  const auto compared = [&](std::uint32_t token) {
    const double part = compare(expected, decoder.logits(), token, allowed(is_rounded));
    largest = std::max(largest, part);
  };
  for (const std::uint32_t token : prompt) expected = reference.logits(token);
  if (is_spoiled) expected[5] += 0.01;
  std::uint32_t token = decoder.read(prompt);
  compared(token);
  std::size_t changes = 0;
  for (std::uint32_t i = 0; i < test.tokens; ++i) {
    const std::uint32_t before = token;
    if (test.is_forced) token = 5 * i % test.model.vocabulary;
    expected = reference.logits(token);
    token = test.is_forced ? decoder.read({&token, 1}) : decoder.next();
    decoder.require_arrivals();
    compared(token);
    changes += token != before ? 1 : 0;
  }
  std::printf(
      "%s%s%s: right, error / allowed is at most %.2g; %zu of %u tokens differ from the one "
      "before\n",
      test.name.c_str(), is_rounded ? " (rounds to f16)" : "",
      decoder.has_packed_weights() ? " (packed)" : "", largest, changes, test.tokens);
  if (changes < test.tokens / 2) throw std::runtime_error("the tokens hardly change");
}

void run(const Case& test, const std::string& folder, bool is_spoiled) {
  const ReadModel read(test.model);
  const std::string path = folder + "/" + test.model.type + ".gguf";
  if (!folder.empty() && !std::filesystem::exists(path)) {  // the first model of each type
    write_file(path, read.file);
  }
  const std::uint32_t places = test.prompt + test.tokens;
  const std::uint32_t at_once = test.chunk > 0 ? test.chunk : test.prompt;
  if (test.on_twin) {
    TwinDecoder decoder(read.model,
                        {.count = at_once,
                         .places = places,
                         .cache = test.cache,
                         .activations = test.activations,
                         .groups = test.groups},
                        test.max_binding);
    return check(test, read.model, decoder, is_spoiled);
  }
  Decoder decoder(read.model, {.chunk = at_once,
                               .places = places,
                               .cache = test.cache,
                               .activations = test.activations,
                               .max_binding = test.max_binding,
                               .groups = test.groups,
                               .reads_logits = true,
                               .packs_on_cpu = test.packs});
  check(test, read.model, decoder, is_spoiled);
}

// Numbers beyond the range of f16 are an error that names them, in a part of a prompt and for a token.
int check_overflow() {
  RandomModel overflowing = small_model();
  overflowing.type = "f16";
  overflowing.hidden_gain = 1e4;
  const ReadModel read(overflowing);
  const std::vector<std::uint32_t> prompt = {1, 2};
  int wrong = 0;
  for (const auto& [count, last] : {std::pair(std::size_t{2}, "'gate up'"), {1, "'silu'"}}) {
    Decoder decoder(read.model, {.chunk = 2, .places = 2});
    const auto first = std::span(prompt).first(count);
    const std::string got = error_of([&] { static_cast<void>(decoder.read(first)); });
    wrong += lacks(got, std::string("numbers in 'gated', f16, after ") + last +
                            " of layer 0; --activations f32");
  }
  if (wrong == 0) std::printf("overflow: right\n");
  return wrong;
}

int run_models(const std::string& folder, bool is_spoiled, const std::string& selected) {
  int wrong = 0, selected_cases = 0;
  for (const Case& test : cases()) {
    const bool is_selected =
        selected == "--quick" ? !test.is_long : test.name.find(selected) != std::string::npos;
    if (!is_selected) continue;
    ++selected_cases;
    try {
      run(test, folder, is_spoiled);
    } catch (const std::exception& error) {
      std::printf("%s: WRONG: %s\n", test.name.c_str(), error.what());
      ++wrong;
    }
    if (is_spoiled) break;
  }
  if (selected_cases == 0) {
    std::printf("no case has '%s' in its name\n", selected.c_str());
    ++wrong;
  }
  return wrong;
}

}  // namespace
}  // namespace llama

int main(int count, char** arguments) {
  std::vector<std::string> words(arguments + 1, arguments + count);
  if (!words.empty() && words[0] == "--quick") words.insert(words.begin(), "");  // no folder
  if (words.size() == 2 && words[0] == "--real") return llama::check_real_model(words[1]);
  const bool is_spoiled = !words.empty() && words[0] == "--spoiled";
  const std::string folder = is_spoiled || words.empty() ? "" : words[0];
  const int wrong_parts = is_spoiled ? 0
                                     : llama::check_files() + llama::check_keys() +
                                           llama::check_matrices() + llama::check_text(folder) +
                                           llama::check_sampling() + llama::check_overflow();
  const int wrong = llama::run_models(folder, is_spoiled, words.size() > 1 ? words[1] : "");
  return wrong + wrong_parts == 0 ? 0 : 1;
}
