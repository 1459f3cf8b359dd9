// SPDX-License-Identifier: MIT
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "model.hpp"
#include "random_model.hpp"
#include "steps.hpp"
#include "test.hpp"

namespace llama {
namespace {

using Keys = std::vector<std::pair<std::string, Value>>;

Value word(const char* text) { return std::string(text); }
Value whole(std::int64_t number) { return number; }

RandomModel with(const Keys& keys, bool has_rope_factors = false) {
  RandomModel model = small_model();
  model.has_rope_factors = has_rope_factors;
  model.keys = keys;
  return model;
}

// The reason against a model must have all of `reasons`; without any, it must be taken.
int refused_model(const RandomModel& model, const std::vector<std::string>& reasons) {
  const std::string got = refusal(random_model(model));
  int wrong = reasons.empty() && !got.empty() ? failed("is taken", got) : 0;
  for (const std::string& reason : reasons) wrong += lacks(got, reason);
  return wrong;
}

int refused(const Keys& keys, const std::vector<std::string>& reasons) {
  return refused_model(with(keys), reasons);
}

// Keys are those of the architecture; each has the tensors that its models must have.
int check_architectures() {
  RandomModel model = small_model();
  model.architecture = "mistral3";
  int wrong = refused_model(model, {});
  model.biases = 1;
  wrong += refused_model(model, {});
  model.architecture = "qwen3";
  model.keys = {{"qwen3.rope.scaling.factor", 2.0}, {"llama.rope.scaling.factor", -1.0}};
  wrong += refused_model(model, {});
  model.architecture = "qwen2";
  model.biases = 0;
  model.keys = {};
  wrong +=
      refused_model(model, {"tensor 'blk.0.attn_q.bias' is missing", "'blk.0.attn_v.bias' is"});
  model.keys = {{"qwen2.rope.scaling.type", word("yarn")}, {"qwen2.logit_scale", 2.0}};
  wrong +=
      refused_model(model, {"'qwen2.rope.scaling.type' is 'yarn'", "'qwen2.logit_scale' is 2"});
  model.architecture = "qwen";
  wrong += refused_model(model, {"is 'qwen', none of llama, mistral, mistral3, qwen2, qwen3"});
  return wrong;
}

// A window is refused for more places than it has, at once.
int check_window() {
  const ReadModel read(with({{"llama.attention.sliding_window", whole(64)}}));
  const vkmoye::DeviceCaps caps = vkmoye::common_device();
  Plans plans(caps);
  const auto take = [&](std::uint32_t places) {
    return error_of([&] { static_cast<void>(steps_of(read.model, {.places = places}, plans)); });
  };
  const std::string reason =
      "attention.sliding_window is 64: tokens would see only the last ones of 65";
  const std::string fits = take(64), got = take(65);
  return (fits.empty() ? 0 : failed("64 places", fits)) + (got == reason ? 0 : failed(reason, got));
}

// The positions of a model with these keys count `factor` times less than those of one without; scores have `scale`.
int read(const Keys& keys, double factor, double scale = 1 / std::sqrt(32.0),
         bool has_rope_factors = false) {
  const auto read_with = [&](const Keys& further) {
    const Model model = ReadModel(with(further, has_rope_factors)).model;
    return std::pair(model.frequencies, model.sizes.scale);
  };
  const auto [plain, usual] = read_with({});
  const auto [got, got_scale] = read_with(keys);
  int wrong = std::fabs(got_scale / scale - 1) < 1e-6
                  ? 0
                  : failed("scale " + std::to_string(scale), std::to_string(got_scale));
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::fabs(got[i] * factor / plain[i] - 1) < 1e-6) continue;
    return wrong + failed("factor " + std::to_string(factor), std::to_string(got[i] / plain[i]));
  }
  return wrong;
}

}  // namespace

int check_keys() {
  constexpr const char* kType = "llama.rope.scaling.type";
  constexpr const char* kFactor = "llama.rope.scaling.factor";
  constexpr const char* kOlder = "llama.rope.scale_linear";
  int wrong = check_architectures() + check_window();
  // Read: without a type, scaling is linear.
  wrong += read({{kType, word("linear")}, {kFactor, 4.0}}, 4);
  wrong += read({{kFactor, 4.0}}, 4);
  wrong += read({{kFactor, 4.0}}, 4, 1 / std::sqrt(32.0), true);
  wrong += read({{kOlder, 4.0}}, 4);
  wrong += read({{kOlder, 4.0}, {kFactor, 4.0}}, 4);
  wrong += read({{kType, word("none")}, {kFactor, 4.0}}, 1);
  wrong += read({{"llama.attention.scale", 0.015625}}, 1, 0.015625);
  wrong += read({{"llama.attention.scale", 0.0}}, 1);
  wrong += refused({{kOlder, 2.0}, {kFactor, 4.0}}, {"'llama.rope.scale_linear' differ"});
  wrong += refused({{kFactor, 0.0}}, {"'llama.rope.scaling.factor' is 0, but must be positive"});
  wrong += refused({{kType, word("yarn")}}, {"'llama.rope.scaling.type' is 'yarn'"});
  wrong += refused({{"llama.rope.freq_base_swa", 0.0}}, {"'llama.rope.freq_base_swa' is 0: this"});
  wrong += refused({{"llama.attention.scale", -1.0}}, {"is -1, not a finite number from 0 on"});
  wrong += refused({{"llama.vocab_size", whole(8)}}, {"is 8, but 'token_embd.weight' has 9 rows"});
  // Values that change nothing are taken; others are refused, all at once.
  wrong += refused({{"general.type", word("model")},
                    {"general.quantization_version", whole(2)},
                    {"llama.attention.causal", true},
                    {"llama.attention.sliding_window", whole(0)},
                    {"llama.attention.clamp_kqv", 0.0},
                    {"llama.logit_scale", 1.0},
                    {"llama.expert_count", whole(0)},
                    {"llama.expert_used_count", whole(0)},
                    {"llama.use_parallel_residual", false},
                    {"llama.tensor_data_layout", word("Meta AI original pth")},
                    {"llama.vocab_size", whole(9)},
                    {"another.key", whole(1)}},
                   {});
  wrong += refused(
      {{"general.type", word("adapter")},
       {"general.quantization_version", whole(1)},
       {"split.count", whole(3)},
       {"llama.attention.causal", false},
       {"llama.attention.temperature_scale", 0.1},
       {"llama.attention.clamp_kqv", 8.0},
       {"llama.attention.max_alibi_bias", 8.0},
       {"llama.attn_logit_softcapping", 50.0},
       {"llama.final_logit_softcapping", 30.0},
       {"llama.logit_scale", 0.0625},
       {"llama.residual_scale", 0.22},
       {"llama.embedding_scale", 12.0},
       {"llama.rope.scaling.attn_factor", 1.5},
       {"llama.expert_count", whole(8)},
       {"llama.use_parallel_residual", true},
       {"llama.tensor_data_layout", word("other")},
       {"llama.pooling_type", whole(1)},
       {"llama.attention.per_layer", Numbers{0, 0}}},
      {"'general.type' is 'adapter', not 'model': the file has no whole model",
       "'general.quantization_version' is 1, not 2",
       "'split.count' is 3, not 0 or 1: the file has a part of a model",
       "'llama.attention.causal' is false, not true: tokens would see those after them",
       "'llama.attention.temperature_scale' is 0.1", "'llama.attention.clamp_kqv' is 8, not 0",
       "'llama.attention.max_alibi_bias' is 8, not 0",
       "'llama.attn_logit_softcapping' is 50, not 0",
       "'llama.final_logit_softcapping' is 30, not 0",
       "'llama.logit_scale' is 0.0625, not 1: numbers would be multiplied by it",
       "'llama.residual_scale' is 0.2", "'llama.embedding_scale' is 12, not 1",
       "'llama.rope.scaling.attn_factor' is 1.5, not 1",
       "'llama.expert_count' is 8, not 0: the model is a mixture of experts",
       "'llama.use_parallel_residual' is true, not false",
       "'llama.tensor_data_layout' is 'other', not 'reference' or 'llama.cpp' or 'Meta AI",
       "'llama.pooling_type' is 1: this program does not know what it changes",
       "'llama.attention.per_layer' is an array of 2: this program does not know"});
  std::printf("keys: %s\n", wrong == 0 ? "right" : "WRONG");
  return wrong;
}

}  // namespace llama
