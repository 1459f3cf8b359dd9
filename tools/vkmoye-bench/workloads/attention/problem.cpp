// SPDX-License-Identifier: MIT
#include "workloads/attention/problem.hpp"

#include <fmt/format.h>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::bench {
namespace {

gen::ConfigField<AttentionOptions> count_of(const char* name, const char* help, std::int64_t min,
                                            std::int64_t AttentionOptions::*value) {
  return {name, help, count_text(min),
          [=](const AttentionOptions& options) { return std::to_string(options.*value); },
          [=](const std::string& text, AttentionOptions& options) {
            const auto count = parse_count(text, min);
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

gen::ConfigField<AttentionOptions> flag(const char* name, const char* help,
                                        bool AttentionOptions::*value) {
  return gen::choice_field<AttentionOptions, bool>(name, help, {"no", "yes"}, value);
}

gen::ConfigField<AttentionOptions> mask_option() {
  return {"mask",
          "type of an array (1 or batch, 1 or heads, queries, keys) that is added to the scores",
          "no, f32, f16 or bf16",
          [](const AttentionOptions& options) {
            return options.mask ? std::string(to_string(*options.mask)) : "no";
          },
          [](const std::string& text, AttentionOptions& options) {
            options.mask.reset();
            for (const ScalarType type : {ScalarType::f32, ScalarType::f16, ScalarType::bf16}) {
              if (text == to_string(type)) options.mask = type;
            }
            return options.mask || text == "no";
          }};
}

gen::ConfigField<AttentionOptions> orders_option() {
  return {"axes",
          "axes of q, k, v and o: batch, heads, rows, width, or batch, rows, heads, width (bhsd)",
          "bhsd or bshd, or four of them for q,k,v,o",
          [](const AttentionOptions& options) { return gen::orders_text(options.orders); },
          [](const std::string& text, AttentionOptions& options) {
            const auto orders = gen::parse_orders(text);
            if (orders) options.orders = *orders;
            return orders.has_value();
          }};
}

}  // namespace

bool is_attention_flag(const std::string& name) {
  return name == "causal" || name == "lengths" || name == "slopes" || name == "sinks" ||
         name == "log-sums";
}

bool follows_from_arrays(const std::string& name) {
  return name == "heads" || name == "kv-heads" || name == "batch" || name == "value-width" ||
         name == "mask-heads" || name == "mask-batch" || name == "stored-pages" || name == "init";
}

const std::vector<gen::ConfigField<AttentionOptions>>& attention_fields() {
  using Options = AttentionOptions;
  static const std::vector<gen::ConfigField<Options>> fields = {
      count_of("heads", "heads of the queries (1)", 1, &Options::heads),
      count_of("kv-heads", "heads of keys and values, which divide the heads (as many as heads)", 0,
               &Options::kv_heads),
      count_of("batch", "problems that are computed (1)", 0, &Options::batch),
      count_of("value-width", "elements of a row of V, if not those of Q and K", 0,
               &Options::value_width),
      flag("causal", "query i sees key j if j <= i + keys - queries", &Options::causal),
      count_of("window",
               "query i sees key j if j > i + keys - queries - window; 0: all that it sees "
               "otherwise (0)",
               0, &Options::window),
      number_of_option("scale", "factor of the scores; 0 stands for 1 / sqrt(width) (0)",
                       &Options::scale),
      number_of_option("soft-cap", "C replaces each score s by C * tanh(s / C); 0: no cap (0)",
                       &Options::soft_cap),
      flag("lengths", "an i32 array has the number of keys of each entry of the batch",
           &Options::lengths),
      count_of("page",
               "keys of a page of K and V, 16 to 256, a power of two; an i32 array has the numbers "
               "of the pages; 0: no pages (0)",
               0, &Options::page),
      count_of("stored-pages", "pages in the arrays of K and V (as many as the batch has)", 0,
               &Options::stored_pages),
      mask_option(),
      count_of("mask-heads", "1, or as many as heads: those of the mask (1)", 1,
               &Options::mask_heads),
      count_of("mask-batch", "1, or as many as --batch: entries of the mask (1)", 0,
               &Options::mask_batch),
      flag("slopes",
           "an f32 array has a slope s of each head (ALiBi): s * (j - i - keys + queries) is added",
           &Options::slopes),
      flag("sinks", "an f32 array has one more score of each head, without a value",
           &Options::sinks),
      flag("log-sums", "also computes log(sum of exp(score)) of each query", &Options::log_sums),
      orders_option(),
      gen::choice_field<Options, bool>("init", "contents of the arrays: random or hard (random)",
                                       {"random", "hard"}, &Options::hard),
  };
  return fields;
}

AttentionOptions read_attention(const gen::Options& values, const std::string& type) {
  AttentionOptions options;
  const auto reasons = gen::read_fields(attention_fields(), values, options);
  if (!reasons.empty()) throw ArgumentError(join(reasons, "; "));
  const std::vector<std::string> types = split(type, '*');
  if (types.size() > 3) {
    throw ArgumentError(fmt::format(
        "type '{}' has {} parts; attention has up to three: Q and O, K, V", type, types.size()));
  }
  if (types.size() == 1) return options;
  const auto take = [](const std::string& name, const gen::WeightFormat*& format,
                       std::optional<ScalarType>& of_elements) {
    format = gen::find_weight_format(name);
    if (format == nullptr) of_elements = parse_type(name);
  };
  take(types[1], options.key_format, options.key_type);
  take(types.back(), options.value_format, options.value_type);
  return options;
}

ScalarType query_type(const std::string& type) { return parse_type(split(type, '*').front()); }

gen::AttentionCall attention_call(const AttentionOptions& options, const Extents& size) {
  gen::AttentionCall call;
  call.queries = size[0];
  call.keys = size[1];
  call.form.width = size[2];
  call.form.value_width = options.value_width != 0 ? options.value_width : size[2];
  call.form.causal = options.causal;
  call.form.window = options.window != 0;
  call.form.soft_cap = options.soft_cap != 0;
  call.form.lengths = options.lengths;
  call.form.mask = options.mask;
  call.form.slopes = options.slopes;
  call.form.sinks = options.sinks;
  call.form.log_sums = options.log_sums;
  call.form.orders = options.orders;
  call.form.key_format = options.key_format;
  call.form.value_format = options.value_format;
  call.form.key_type = options.key_type;
  call.form.value_type = options.value_type;
  call.mask_heads = options.mask_heads;
  call.mask_batch = options.mask_batch;
  call.heads = options.heads;
  call.kv_heads = options.kv_heads != 0 ? options.kv_heads : options.heads;
  call.batch = options.batch;
  call.form.page = options.page;
  if (options.page != 0) {
    call.stored_pages =
        options.stored_pages != 0 ? options.stored_pages : call.batch * call.pages();
  } else {
    call.stored_pages = options.stored_pages;
  }
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
    if (!is_attention_flag(field.name)) words.push_back(value);
  }
  return words;
}

}  // namespace vkmoye::bench
