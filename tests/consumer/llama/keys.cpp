// SPDX-License-Identifier: MIT
#include "keys.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <variant>

namespace llama {
namespace {

// A key that may only have one of these values, and what others mean. Numbers of all types are equal.
struct OnlyOf {
  const char* key;
  std::vector<Value> values;
  const char* others;
};

const std::vector<OnlyOf>& neutral_values() {
  const auto text = [](const char* value) { return Value(std::string(value)); };
  constexpr const char* kCap = "numbers would be capped";
  constexpr const char* kScale = "numbers would be multiplied by it";
  static const std::vector<OnlyOf> table = {
      {"general.quantization_version", {2.0}, "codes would lie in another order in blocks"},
      {"general.type", {text("model")}, "the file has no whole model"},
      {"split.count", {0.0, 1.0}, "the file has a part of a model"},
      {".attention.causal", {true}, "tokens would see those after them"},
      {".attention.clamp_kqv", {0.0}, "q, k and v would be clamped"},
      {".attention.max_alibi_bias", {0.0}, "scores would have a bias"},
      {".attention.temperature_scale", {0.0}, "queries would be scaled by their positions"},
      {".attn_logit_softcapping", {0.0}, kCap},
      {".final_logit_softcapping", {0.0}, kCap},
      {".logit_scale", {1.0}, kScale},
      {".residual_scale", {1.0}, kScale},
      {".embedding_scale", {1.0}, kScale},
      {".rope.scaling.attn_factor", {1.0}, kScale},
      {".expert_count", {0.0}, "the model is a mixture of experts"},
      {".use_parallel_residual", {false}, "attention and the other half would be parallel"},
      // All of these have the two numbers of a rotation side by side, as in the weights that Meta published.
      {".tensor_data_layout",
       {text("reference"), text("llama.cpp"), text("Meta AI original pth")},
       "rows would be in another order"},
  };
  return table;
}

// Keys that say nothing about what is computed, since others must have neutral values.
constexpr const char* kHarmless[] = {".expert_used_count", ".attention.layer_norm_epsilon",
                                     ".rope.scaling.original_context_length",
                                     ".rope.scaling.finetuned", ".attention.temperature_length"};

std::optional<double> number_of(const Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return std::nullopt;
}

bool are_equal(const Value& a, const Value& b) {
  const auto x = number_of(a), y = number_of(b);
  return x && y ? *x == *y : a == b;
}

std::string text_of(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return "'" + *text + "'";
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* numbers = std::get_if<Numbers>(&value)) {
    return "an array of " + std::to_string(numbers->size());
  }
  if (const auto* texts = std::get_if<Texts>(&value)) {
    return "an array of " + std::to_string(texts->size()) + " strings";
  }
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", *number_of(value));
  return text;
}

}  // namespace

void throw_if_any(const std::vector<std::string>& reasons) {
  if (reasons.empty()) return;
  std::string all;
  for (const std::string& reason : reasons) all += (all.empty() ? "" : "; ") + reason;
  throw std::runtime_error(all);
}

std::string Keys::quoted(const std::string& key) const { return "'" + name(key) + "'"; }

const Value* Keys::find(const std::string& key) {
  const std::string whole = name(key);
  read_.insert(whole);
  const auto found = gguf_.values.find(whole);
  return found == gguf_.values.end() ? nullptr : &found->second;
}

std::string Keys::text(const std::string& key, const std::string& otherwise) {
  const Value* value = find(key);
  if (value == nullptr) return otherwise;
  if (const auto* text = std::get_if<std::string>(value)) return *text;
  refuse(quoted(key) + " is " + text_of(*value) + ", not a string");
  return otherwise;
}

std::uint32_t Keys::count(const std::string& key, std::optional<std::uint32_t> otherwise) {
  const Value* value = find(key);
  if (value == nullptr && !otherwise) refuse(quoted(key) + " is missing");
  if (value == nullptr) return otherwise.value_or(0);
  const auto* number = std::get_if<std::int64_t>(value);
  if (number != nullptr && *number >= 0 && *number <= 0x7fffffff) {
    return static_cast<std::uint32_t>(*number);
  }
  refuse(quoted(key) + " is " + text_of(*value) + ", not a whole number below 2^31");
  return otherwise.value_or(0);
}

double Keys::real(const std::string& key, std::optional<double> otherwise) {
  const Value* value = find(key);
  if (value == nullptr && !otherwise) refuse(quoted(key) + " is missing");
  if (value == nullptr) return otherwise.value_or(0);
  const auto* number = std::get_if<double>(value);
  if (number != nullptr && std::isfinite(*number) && *number >= 0) return *number;
  refuse(quoted(key) + " is " + text_of(*value) + ", not a finite number from 0 on");
  return otherwise.value_or(0);
}

double Keys::positive(const std::string& key, double otherwise) {
  const double number = real(key, otherwise);
  if (number > 0) return number;
  refuse(quoted(key) + " is 0, but must be positive");
  return otherwise;
}

void Keys::refuse_others() {
  for (const OnlyOf& one : neutral_values()) {
    const Value* value = find(one.key);
    const auto is_value = [&](const Value& other) { return are_equal(*value, other); };
    if (value == nullptr || std::any_of(one.values.begin(), one.values.end(), is_value)) continue;
    std::string values;
    for (const Value& other : one.values) {
      values += (values.empty() ? "" : " or ") + text_of(other);
    }
    refuse(quoted(one.key) + " is " + text_of(*value) + ", not " + values + ": " + one.others);
  }
  for (const char* key : kHarmless) read_.insert(name(key));
  for (const auto& [key, value] : gguf_.values) {
    if (key.rfind(architecture_ + ".", 0) != 0 || read_.count(key) != 0) continue;
    refuse(quoted(key) + " is " + text_of(value) + ": this program does not know what it changes");
  }
}

}  // namespace llama
