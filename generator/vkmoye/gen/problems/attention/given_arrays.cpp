// SPDX-License-Identifier: MIT
#include "vkmoye/gen/problems/attention/given_arrays.hpp"

#include <fmt/format.h>

#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::gen {
namespace {

// The shape of q, k or v, and its extents by what they mean.
struct GivenHeads {
  const GivenArray* array;
  AttentionOrder order;

  std::int64_t batch() const { return array->shape[0]; }
  std::int64_t heads() const { return array->shape[order == AttentionOrder::bhsd ? 1 : 2]; }
  std::int64_t rows() const { return array->shape[order == AttentionOrder::bhsd ? 2 : 1]; }
  std::int64_t width() const { return array->shape[3]; }
};

// The elements of a row of k or v; if it is in blocks, the last extent counts bytes.
std::int64_t elements_in(const GivenHeads& rows, const WeightFormat* format,
                         std::vector<std::string>& reasons) {
  if (format == nullptr) return rows.width();
  if (rows.width() % format->bytes != 0) {
    reasons.push_back(fmt::format("{}: rows of {} bytes are not whole blocks of {}, of {} bytes",
                                  rows.array->name, rows.width(), format->name, format->bytes));
  }
  return rows.width() / format->bytes * format->elements;
}

// A shape with as many extents of 1 before it as make four.
Extents with_four_axes(Extents shape) {
  while (shape.size() < 4) shape.insert(shape.begin(), 1);
  return shape;
}

}  // namespace

Extents take_arrays(const ProblemText& text, const std::vector<GivenArray>& given,
                    AttentionOptions& options) {
  std::vector<std::string> names = {"q", "k"};
  if (options.values_in_keys == 0) names.emplace_back("v");
  const std::size_t heads = names.size();  // the arrays of rows of heads
  if (options.form.page != 0) names.emplace_back("pages");
  if (options.form.lengths) names.emplace_back("lengths");
  if (options.form.mask) names.emplace_back("mask");
  if (options.form.slopes) names.emplace_back("slopes");
  if (options.form.sinks) names.emplace_back("sinks");
  if (given.size() != names.size()) {
    throw ArgumentError(fmt::format("{} takes {} arrays, {}, got {}", text.entry->name,
                                    names.size(), join(names, " "), given.size()));
  }
  if (text.type.empty()) options.type = given[0].type;
  const ScalarType type = options.type;
  const auto of_rows = [&](const WeightFormat* format, std::optional<ScalarType> of_elements) {
    return format != nullptr ? ScalarType::u8 : of_elements.value_or(type);
  };
  const ScalarType types[] = {type, of_rows(options.form.key_format, options.form.key_type),
                              of_rows(options.form.value_format, options.form.value_type)};
  std::vector<std::string> reasons;
  const auto expect_type = [&](const GivenArray& array, ScalarType wanted) {
    if (array.type == wanted) return;
    reasons.push_back(fmt::format("{}: has type {}, {} takes {} there", array.name,
                                  to_string(array.type), text.entry->name, to_string(wanted)));
  };
  const AttentionOrder orders[] = {options.form.orders.q, options.form.orders.k,
                                   options.form.orders.v};
  for (std::size_t i = 0; i < heads; ++i) {
    expect_type(given[i], types[i]);
    if (given[i].shape.size() == 4) continue;
    reasons.push_back(fmt::format("{}: has shape {}, but {} is ({})", given[i].name,
                                  shape_text(given[i].shape), names[i],
                                  orders[i] == AttentionOrder::bhsd ? "batch, heads, rows, width"
                                                                    : "batch, rows, heads, width"));
  }
  if (!reasons.empty()) throw ArgumentError(join(reasons, "; "));
  const GivenHeads q = {&given[0], orders[0]}, k = {&given[1], orders[1]},
                   v = {&given[heads - 1], orders[heads - 1]};  // or k again
  const auto expect = [&](bool holds, const GivenHeads& a, const GivenHeads& b, const char* what) {
    if (holds) return;
    reasons.push_back(fmt::format("{} with shape {} and {} with shape {} differ in {}",
                                  a.array->name, shape_text(a.array->shape), b.array->name,
                                  shape_text(b.array->shape), what));
  };
  const bool in_pages = options.form.page != 0;
  expect(in_pages || q.batch() == k.batch(), q, k, "the batch");
  const std::int64_t key_width = elements_in(k, options.form.key_format, reasons),
                     value_width = elements_in(v, options.form.value_format, reasons);
  expect(q.width() == key_width, q, k, "the width");
  expect(k.batch() == v.batch() && k.heads() == v.heads() && k.rows() == v.rows(), k, v,
         "batch, heads or rows");
  std::int64_t keys = k.rows();
  if (in_pages) {
    const GivenArray& pages = given[heads];
    expect_type(pages, ScalarType::i32);
    if (pages.shape.size() != 2 || pages.shape[0] != q.batch()) {
      reasons.push_back(fmt::format("{}: has shape {}, but pages are ({}, pages of an entry)",
                                    pages.name, shape_text(pages.shape), q.batch()));
    } else {
      keys = pages.shape[1] * options.form.page;
    }
    if (k.rows() != options.form.page) {
      reasons.push_back(fmt::format("{}: has pages of {} keys, but --page is {}", k.array->name,
                                    k.rows(), options.form.page));
    }
  }
  for (std::size_t i = heads + (in_pages ? 1 : 0); i < given.size(); ++i) {
    const GivenArray& array = given[i];
    if (names[i] == "mask") {
      expect_type(array, *options.form.mask);
      const Extents shape = with_four_axes(array.shape);
      options.mask_batch = shape[0];
      options.mask_heads = shape[1];
      const bool fits = shape.size() == 4 && shape[2] == q.rows() && shape[3] == keys;
      if (fits) continue;
      reasons.push_back(
          fmt::format("{}: has shape {}, but a mask of {} queries and {} keys is (1 "
                      "or batch, 1 or heads, queries, keys)",
                      array.name, shape_text(array.shape), q.rows(), keys));
      continue;
    }
    const bool is_lengths = names[i] == "lengths";
    expect_type(array, is_lengths ? ScalarType::i32 : ScalarType::f32);
    const std::int64_t count = is_lengths ? q.batch() : q.heads();
    if (array.shape == Extents{count}) continue;
    reasons.push_back(fmt::format("{}: has shape {}, but {} are {} numbers", array.name,
                                  shape_text(array.shape), names[i], count));
  }
  if (!reasons.empty()) throw ArgumentError(join(reasons, "; "));
  options.batch = q.batch();
  options.heads = q.heads();
  options.kv_heads = k.heads();
  options.form.value_width =
      value_width == q.width() || options.values_in_keys != 0 ? 0 : value_width;
  options.stored_pages = in_pages ? k.batch() : 0;
  return {q.rows(), keys, q.width()};
}

}  // namespace vkmoye::gen
