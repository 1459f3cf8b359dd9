// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/attention/form/attention_form.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>

#include "vkmoye/base/reasons.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"

namespace vkmoye::gen {
namespace {

// Within these, no product or quotient of a scale, a soft cap and log2(e) leaves the normal numbers of f32.
constexpr double kMinScale = 1e-6, kMaxScale = 1e6;

constexpr std::int64_t kWidthStep = 8, kMaxWidth = 1024;

}  // namespace

double AttentionCall::scale_used() const {
  return scale != 0 ? scale : 1 / std::sqrt(static_cast<double>(form.width));
}

std::vector<std::string> reasons_against(const AttentionForm& form) {
  std::vector<std::string> reasons;
  for (const auto& [what, width] :
       {std::pair{"width", form.width}, std::pair{"value width", form.value_width}}) {
    require(width >= kWidthStep && width <= kMaxWidth && width % kWidthStep == 0,
            fmt::format("{} {} is not a multiple of {} from {} to {}", what, width, kWidthStep,
                        kWidthStep, kMaxWidth),
            reasons);
  }
  const auto require_type = [&](const char* what, const std::optional<ScalarType>& type) {
    require(!type || type == ScalarType::f32 || type == ScalarType::f16 || type == ScalarType::bf16,
            fmt::format("{} type f32, f16 or bf16, not {}", what, type ? to_string(*type) : ""),
            reasons);
  };
  require_type("a mask has", form.mask);
  require_type("keys have", form.key_type);
  require_type("values have", form.value_type);
  require(form.page == 0 || (form.page >= 16 && form.page <= 256 &&
                             std::has_single_bit(static_cast<std::uint64_t>(form.page))),
          fmt::format("pages of {} keys are not a power of two from 16 to 256", form.page),
          reasons);
  if (form.values_in_keys) {
    require(
        form.value_width <= form.width,
        fmt::format("values of {} elements in rows of keys of {}", form.value_width, form.width),
        reasons);
    require(form.key_format == form.value_format && form.key_type == form.value_type &&
                form.orders.k == form.orders.v,
            "values in rows of keys have their type and their order of axes", reasons);
  }
  for (const auto& [what, format, width] :
       {std::tuple{"keys", form.key_format, form.width},
        std::tuple{"values", form.value_format, form.value_width}}) {
    if (format == nullptr) continue;
    std::vector<std::string> of_format = reasons_against(*format);
    require(!of_format.empty() || format->is_in_words(),
            fmt::format("{} in {}: attention reads words of {} bits, and some number is not at the "
                        "same bits of all of its words",
                        what, format->name, kBitsOfWord),
            of_format);
    require(!of_format.empty() || width % format->elements == 0,
            fmt::format("{} {} elements wide are not whole blocks of {}, of {} elements", what,
                        width, format->name, format->elements),
            reasons);
    add_all(reasons, std::move(of_format));
  }
  return reasons;
}

std::vector<std::string> reasons_against(const AttentionCall& call) {
  std::vector<std::string> reasons = reasons_against(call.form);
  require(call.queries >= 0 && call.keys >= 0 && call.batch >= 0,
          fmt::format("{} queries, {} keys or a batch of {} is negative", call.queries, call.keys,
                      call.batch),
          reasons);
  require(
      call.kv_heads >= 1 && call.heads >= 1 && call.heads % call.kv_heads == 0,
      fmt::format("{} heads are not a multiple of {} heads of K and V", call.heads, call.kv_heads),
      reasons);
  const std::int64_t max_extent = kMaxExtent;
  require(
      call.queries <= max_extent && call.keys <= max_extent &&
          call.heads / call.kv_heads <= max_extent / std::max<std::int64_t>(call.queries, 1) &&
          call.kv_heads <= max_extent / std::max<std::int64_t>(call.batch, 1),
      fmt::format("{} queries of {} heads, {} keys, or {} heads of K and V in a batch of {} are "
                  "more than {}",
                  call.queries, call.heads, call.keys, call.kv_heads, call.batch, max_extent),
      reasons);
  const double scale = call.scale_used();
  require(scale >= kMinScale && scale <= kMaxScale,
          fmt::format("scale {} is outside {}..{}", scale, kMinScale, kMaxScale), reasons);
  require(call.window >= 0, fmt::format("window {} is negative", call.window), reasons);
  require(
      call.soft_cap == 0 || (call.soft_cap >= kMinScale && call.soft_cap <= kMaxScale),
      fmt::format("soft cap {} is neither 0 nor in {}..{}", call.soft_cap, kMinScale, kMaxScale),
      reasons);
  require(call.stored_pages >= 0 && call.stored_pages <= max_extent,
          fmt::format("{} stored pages are outside 0..{}", call.stored_pages, max_extent), reasons);
  require(call.stored_pages == 0 || call.form.page != 0,
          fmt::format("{} stored pages, but there are no pages", call.stored_pages), reasons);
  for (const auto& [what, given, all] : {std::tuple{"heads", call.mask_heads, call.heads},
                                         std::tuple{"entries", call.mask_batch, call.batch}}) {
    require(given == 1 || (call.form.mask && given == all),
            call.form.mask
                ? fmt::format("a mask of {} {} is neither of 1 nor of {}", given, what, all)
                : fmt::format("a mask of {} {}, but there is no mask", given, what),
            reasons);
  }
  return reasons;
}

bool has_rows_of_groups(const AttentionForm& form) {
  using enum AttentionOrder;
  return !has_bias(form) && !form.sinks && form.orders.q == bhsd && form.orders.o == bhsd;
}

bool has_entries(const AttentionForm& form) {
  return !has_rows_of_groups(form) || form.lengths || form.page != 0 ||
         form.orders != AttentionOrders{};
}

ScalarType key_type(ScalarType type, const AttentionForm& form) {
  return form.key_format != nullptr ? ScalarType::u16 : form.key_type.value_or(type);
}

ScalarType value_type(ScalarType type, const AttentionForm& form) {
  return form.value_format != nullptr ? ScalarType::u16 : form.value_type.value_or(type);
}

std::string type_text(ScalarType type, const AttentionForm& form) {
  const std::string q(to_string(type));
  const auto text = [&](const WeightFormat* format, ScalarType of_elements) {
    return format != nullptr ? format->name : std::string(to_string(of_elements));
  };
  const std::string keys = text(form.key_format, key_type(type, form)),
                    values = text(form.value_format, value_type(type, form));
  if (keys == q && values == q) return q;
  return q + '*' + keys + (values == keys ? "" : '*' + values);
}

std::int64_t row_elements(const WeightFormat* format, std::int64_t width) {
  return format == nullptr ? width : width / format->elements * format->bytes * 8 / kBitsOfWord;
}

std::string form_text(const AttentionForm& form) {
  std::string text = fmt::format("width={}", form.width);
  if (form.value_width != form.width) text += fmt::format("x{}", form.value_width);
  if (form.values_in_keys) text += " values-in-keys";
  if (form.causal) text += " causal";
  if (form.window) text += " window";
  if (form.soft_cap) text += " soft-cap";
  if (form.page != 0) text += fmt::format(" page={}", form.page);
  if (form.lengths) text += " lengths";
  if (form.mask) text += fmt::format(" mask={}", to_string(*form.mask));
  if (form.slopes) text += " slopes";
  if (form.sinks) text += " sinks";
  if (form.log_sums) text += " log-sums";
  if (form.orders != AttentionOrders{}) text += " axes=" + orders_text(form.orders);
  return text;
}

std::string orders_text(const AttentionOrders& orders) {
  const auto text = [](AttentionOrder order) {
    return order == AttentionOrder::bhsd ? "bhsd" : "bshd";
  };
  const auto& [q, k, v, o] = orders;
  if (q == k && q == v && q == o) return text(q);
  return fmt::format("{},{},{},{}", text(q), text(k), text(v), text(o));
}

std::optional<AttentionOrders> parse_orders(const std::string& text) {
  std::vector<AttentionOrder> orders;
  for (const std::string& word : split(text, ',')) {
    if (word != "bhsd" && word != "bshd") return std::nullopt;
    orders.push_back(word == "bhsd" ? AttentionOrder::bhsd : AttentionOrder::bshd);
  }
  if (orders.size() == 1) orders.resize(4, orders.front());
  if (orders.size() != 4) return std::nullopt;
  return AttentionOrders{orders[0], orders[1], orders[2], orders[3]};
}

Arguments attention_arguments(const AttentionCall& call) {
  Arguments arguments = {
      {"queries", call.queries}, {"keys", call.keys}, {"scale", call.scale_used()}};
  if (has_entries(call.form)) {
    arguments["group"] = call.heads / call.kv_heads;
    arguments["kv_heads"] = call.kv_heads;
    arguments["batch"] = call.batch;
  } else {
    arguments["rows"] = call.rows();
    arguments["heads"] = call.kv_heads * call.batch;
  }
  if (call.form.window) arguments["window"] = std::min(call.window, call.keys);
  if (call.form.soft_cap) arguments["soft_cap"] = call.soft_cap;
  if (call.form.page != 0) arguments["stored"] = call.stored_pages;
  if (call.form.mask) {
    arguments["masks"] = call.mask_heads * call.mask_batch;
    arguments["mask_head_step"] = std::int64_t{call.mask_heads > 1 ? 1 : 0};
    arguments["mask_entry_step"] = call.mask_batch > 1 ? call.mask_heads : std::int64_t{0};
  }
  return arguments;
}

std::uint64_t AttentionArray::bytes() const {
  std::uint64_t product = size_of(type);
  for (const std::int64_t extent : shape) product *= static_cast<std::uint64_t>(extent);
  return product;
}

std::vector<AttentionArray> arrays_of(const AttentionCall& call, ScalarType type) {
  using Shape = std::vector<std::int64_t>;
  const AttentionForm& form = call.form;
  const auto of = [](AttentionOrder order, std::int64_t batch, std::int64_t heads,
                     std::int64_t rows, std::int64_t width) {
    return order == AttentionOrder::bhsd ? Shape{batch, heads, rows, width}
                                         : Shape{batch, rows, heads, width};
  };
  const auto of_keys = [&](const char* name, ScalarType of_rows, const WeightFormat* format,
                           AttentionOrder order, std::int64_t width) {
    const std::int64_t batch = form.page != 0 ? call.stored_pages : call.batch,
                       rows = form.page != 0 ? form.page : call.keys;
    return AttentionArray{name, of_rows,
                          of(order, batch, call.kv_heads, rows, row_elements(format, width))};
  };
  std::vector<AttentionArray> arrays = {
      {"q", type, of(form.orders.q, call.batch, call.heads, call.queries, form.width)},
      of_keys("k", key_type(type, form), form.key_format, form.orders.k, form.width)};
  if (!form.values_in_keys) {
    arrays.push_back(
        of_keys("v", value_type(type, form), form.value_format, form.orders.v, form.value_width));
  }
  if (form.page != 0) {
    arrays.push_back({"pages", ScalarType::i32, {call.batch, call.pages()}});
  }
  if (form.lengths) arrays.push_back({"lengths", ScalarType::i32, {call.batch}});
  if (form.mask) {
    arrays.push_back(
        {"mask", *form.mask, {call.mask_batch, call.mask_heads, call.queries, call.keys}});
  }
  if (form.slopes) arrays.push_back({"slopes", ScalarType::f32, {call.heads}});
  if (form.sinks) arrays.push_back({"sinks", ScalarType::f32, {call.heads}});
  if (form.log_sums) {
    arrays.push_back({"log_sums", ScalarType::f32, {call.batch, call.heads, call.queries}, true});
  }
  arrays.push_back(
      {"o", type, of(form.orders.o, call.batch, call.heads, call.queries, form.value_width), true});
  return arrays;
}

std::vector<PlanArray> attention_arrays(const AttentionCall& call, ScalarType type) {
  std::vector<PlanArray> arrays;
  for (const AttentionArray& array : arrays_of(call, type)) {
    arrays.push_back({array.name, array.bytes()});
  }
  return arrays;
}

}  // namespace vkmoye::gen
