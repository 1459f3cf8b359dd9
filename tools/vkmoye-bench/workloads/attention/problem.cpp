// SPDX-License-Identifier: MIT
#include "workloads/attention/problem.hpp"

#include <fmt/format.h>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::bench {
namespace {

gen::ConfigField<AttentionOptions> count_of(const char* name, const char* help, std::int64_t least,
                                            std::int64_t AttentionOptions::*value) {
  return {name, help, count_text(least),
          [=](const AttentionOptions& options) { return std::to_string(options.*value); },
          [=](const std::string& text, AttentionOptions& options) {
            const auto count = parse_count(text, least);
            if (count) options.*value = *count;
            return count.has_value();
          }};
}

gen::ConfigField<AttentionOptions> number_of_option(const char* name, const char* help,
                                                    double AttentionOptions::*value) {
  return {name, help, "a finite number",
          [=](const AttentionOptions& options) { return fmt::format("{}", options.*value); },
          [=](const std::string& text, AttentionOptions& options) {
            const auto number = parse_number(text);
            if (number) options.*value = *number;
            return number.has_value();
          }};
}

}  // namespace

const std::vector<gen::ConfigField<AttentionOptions>>& attention_fields() {
  using Options = AttentionOptions;
  static const std::vector<gen::ConfigField<Options>> fields = {
      count_of("heads", "heads of the queries (1)", 1, &Options::heads),
      count_of("kv-heads", "heads of keys and values, which divide the heads (as many as heads)", 0,
               &Options::kv_heads),
      count_of("batch", "problems that are computed (1)", 0, &Options::batch),
      count_of("value-width", "elements of a row of V, if not those of Q and K", 0,
               &Options::value_width),
      gen::choice_field<Options, bool>("causal", "query i sees key j if j <= i + keys - queries",
                                       {"no", "yes"}, &Options::causal),
      count_of("window",
               "query i sees key j if j > i + keys - queries - window; 0: all that it sees "
               "otherwise (0)",
               0, &Options::window),
      number_of_option("scale", "factor of the scores; 0 stands for 1 / sqrt(width) (0)",
                       &Options::scale),
      number_of_option("soft-cap", "C replaces each score s by C * tanh(s / C); 0: no cap (0)",
                       &Options::soft_cap),
  };
  return fields;
}

AttentionOptions read_attention(const gen::Options& values) {
  AttentionOptions options;
  const auto reasons = gen::read_fields(attention_fields(), values, options);
  if (!reasons.empty()) throw ArgumentError(join(reasons, "; "));
  return options;
}

gen::AttentionCall attention_call(const AttentionOptions& options, const Extents& size) {
  gen::AttentionCall call;
  call.queries = size[0];
  call.keys = size[1];
  call.form.width = size[2];
  call.form.value_width = options.value_width != 0 ? options.value_width : size[2];
  call.form.causal = options.causal;
  call.form.window = options.window != 0;
  call.form.soft_cap = options.soft_cap != 0;
  call.heads = options.heads;
  call.kv_heads = options.kv_heads != 0 ? options.kv_heads : options.heads;
  call.batch = options.batch;
  call.scale = options.scale;
  call.window = options.window;
  call.soft_cap = options.soft_cap;
  const auto reasons = reasons_against(call);
  if (!reasons.empty()) throw ArgumentError("attention: " + join(reasons, "; "));
  return call;
}

std::vector<std::string> attention_command_options(const AttentionOptions& options) {
  std::vector<std::string> words;
  for (const auto& field : attention_fields()) {
    const std::string value = field.show(options);
    if (value == field.show({})) continue;
    words.push_back("--" + field.name);
    if (field.name != "causal") words.push_back(value);
  }
  return words;
}

}  // namespace vkmoye::bench
