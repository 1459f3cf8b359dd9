// SPDX-License-Identifier: MIT
#include "vkmoye/gen/problems/attention/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/problems/option_fields.hpp"

namespace vkmoye::gen {
namespace {

template <class Place>
ConfigField<AttentionOptions> flag(const char* name, const char* help, Place place) {
  return word_field<AttentionOptions>(name, help, {"no", "yes"}, place);
}

ConfigField<AttentionOptions> mask_option() {
  return {"mask",
          "type of an array (1 or batch, 1 or heads, queries, keys) that is added to the scores",
          "no, f32, f16 or bf16",
          [](const AttentionOptions& p) {
            return p.form.mask ? std::string(to_string(*p.form.mask)) : "no";
          },
          [](const std::string& text, AttentionOptions& p) {
            p.form.mask.reset();
            for (const ScalarType type : {ScalarType::f32, ScalarType::f16, ScalarType::bf16}) {
              if (text == to_string(type)) p.form.mask = type;
            }
            return p.form.mask || text == "no";
          },
          /*changes_result=*/false,
          {"no", "f32", "f16", "bf16"}};
}

ConfigField<AttentionOptions> orders_option() {
  return {"axes",
          "axes of q, k, v and o: batch, heads, rows, width, or batch, rows, heads, width (bhsd)",
          "bhsd or bshd, or four of them for q,k,v,o",
          [](const AttentionOptions& p) { return orders_text(p.form.orders); },
          [](const std::string& text, AttentionOptions& p) {
            const auto orders = parse_orders(text);
            if (orders) p.form.orders = *orders;
            return orders.has_value();
          },
          /*changes_result=*/false,
          {"bhsd", "bshd"}};
}

template <std::size_t count>
bool is_among(const std::string& name, const std::string_view (&names)[count]) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

}  // namespace

bool is_attention_flag(const std::string& name) {
  return is_among(name, {"causal", "lengths", "slopes", "sinks", "log-sums"});
}

bool follows_from_arrays(const std::string& name) {
  return is_among(name, {"heads", "kv-heads", "batch", "value-width", "mask-heads", "mask-batch",
                         "stored-pages", "init"});
}

const std::vector<ConfigField<AttentionOptions>>& attention_fields() {
  static const std::vector<ConfigField<AttentionOptions>> fields = {
      count_field<AttentionOptions>(
          "heads", "heads of the queries (1)", 1,
          [](AttentionOptions & p) -> auto& { return p.heads; }),
      count_field<AttentionOptions>(
          "kv-heads", "heads of keys and values, which divide the heads (as many as heads)", 0,
          [](AttentionOptions & p) -> auto& { return p.kv_heads; }),
      count_field<AttentionOptions>(
          "batch", "problems that are computed (1)", 0,
          [](AttentionOptions & p) -> auto& { return p.batch; }),
      count_field<AttentionOptions>(
          "value-width", "elements of a row of V, if not those of Q and K", 0,
          [](AttentionOptions & p) -> auto& { return p.form.value_width; }),
      count_field<AttentionOptions>(
          "values-in-keys",
          "elements of a value, if values are the beginnings of the rows of K; 0: V is an array "
          "(0)",
          0, [](AttentionOptions & p) -> auto& { return p.values_in_keys; }),
      flag(
          "causal", "query i sees key j if j <= i + keys - queries",
          [](AttentionOptions & p) -> auto& { return p.form.causal; }),
      count_field<AttentionOptions>(
          "window",
          "query i sees key j if j > i + keys - queries - window; 0: all that it sees otherwise "
          "(0)",
          0, [](AttentionOptions & p) -> auto& { return p.window; }),
      number_field<AttentionOptions>(
          "scale", "factor of the scores; 0 stands for 1 / sqrt(width) (0)",
          [](AttentionOptions & p) -> auto& { return p.scale; }),
      number_field<AttentionOptions>(
          "soft-cap", "C replaces each score s by C * tanh(s / C); 0: no cap (0)",
          [](AttentionOptions & p) -> auto& { return p.soft_cap; }),
      flag(
          "lengths", "an i32 array has the number of keys of each entry of the batch",
          [](AttentionOptions & p) -> auto& { return p.form.lengths; }),
      count_field<AttentionOptions>(
          "page",
          "keys of a page of K and V, 16 to 256, a power of two; an i32 array has the numbers "
          "of the pages; 0: no pages (0)",
          0, [](AttentionOptions & p) -> auto& { return p.form.page; }),
      count_field<AttentionOptions>(
          "stored-pages", "pages in the arrays of K and V (as many as the batch has)", 0,
          [](AttentionOptions & p) -> auto& { return p.stored_pages; }),
      mask_option(),
      count_field<AttentionOptions>(
          "mask-heads", "1, or as many as heads: those of the mask (1)", 1,
          [](AttentionOptions & p) -> auto& { return p.mask_heads; }),
      count_field<AttentionOptions>(
          "mask-batch", "1, or as many as --batch: entries of the mask (1)", 0,
          [](AttentionOptions & p) -> auto& { return p.mask_batch; }),
      flag(
          "slopes",
          "an f32 array has a slope s of each head (ALiBi): s * (j - i - keys + queries) is added",
          [](AttentionOptions & p) -> auto& { return p.form.slopes; }),
      flag(
          "sinks", "an f32 array has one more score of each head, without a value",
          [](AttentionOptions & p) -> auto& { return p.form.sinks; }),
      flag(
          "log-sums", "also computes log(sum of exp(score)) of each query",
          [](AttentionOptions & p) -> auto& { return p.form.log_sums; }),
      orders_option(),
      word_field<AttentionOptions>(
          "init", "contents of the arrays: random or hard (random)", {"random", "hard"},
          [](AttentionOptions & p) -> auto& { return p.hard; }),
  };
  return fields;
}

AttentionOptions read_attention(const Options& values, const std::string& type) {
  AttentionOptions options;
  const auto reasons = read_fields(attention_fields(), values, options);
  if (!reasons.empty()) throw ArgumentError(join(reasons, "; "));
  if (type.empty()) return options;
  const std::vector<std::string> types = split(type, '*');
  if (types.size() > 3) {
    throw ArgumentError(fmt::format(
        "type '{}' has {} parts; attention has up to three: Q and O, K, V", type, types.size()));
  }
  options.type = parse_type(types.front());
  if (types.size() == 1) return options;
  const auto take = [](const std::string& name, const WeightFormat*& format,
                       std::optional<ScalarType>& of_elements) {
    format = find_weight_format(name);
    if (format == nullptr) of_elements = parse_type(name, weight_format_names());
  };
  take(types[1], options.form.key_format, options.form.key_type);
  take(types.back(), options.form.value_format, options.form.value_type);
  return options;
}

TypedAttention attention_of(const AttentionOptions& options, const Extents& size) {
  TypedAttention call = options;
  call.queries = size[0];
  call.keys = size[1];
  call.form.width = size[2];
  call.form.values_in_keys = options.values_in_keys != 0;
  if (call.form.values_in_keys && call.form.value_width != 0) {
    throw ArgumentError("attention: both --value-width and --values-in-keys are given");
  }
  if (call.form.values_in_keys) call.form.value_width = options.values_in_keys;
  if (call.form.value_width == 0) call.form.value_width = size[2];
  if (call.kv_heads == 0) call.kv_heads = call.heads;
  call.form.window = call.window != 0;
  call.form.soft_cap = call.soft_cap != 0;
  if (call.form.page != 0 && call.stored_pages == 0) call.stored_pages = call.batch * call.pages();
  const auto reasons = reasons_against(call);
  if (!reasons.empty()) throw ArgumentError("attention: " + join(reasons, "; "));
  return call;
}

}  // namespace vkmoye::gen
