// SPDX-License-Identifier: MIT
// The second kernel of attention/decode: adds up the slices of the keys.

#include <fmt/format.h>

#include <algorithm>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/kernels/attention/decode.hpp"
#include "vkmoye/gen/kernels/attention/parts/bias.hpp"
#include "vkmoye/gen/kernels/attention/parts/running_softmax.hpp"
#include "vkmoye/gen/kernels/common/powers.hpp"

namespace vkmoye::gen {
namespace {

// The row of a workgroup: of the group of its head of K and V, or, where its own head matters, of a grid of heads,
// queries and entries of the batch.
struct SliceRow {
  SliceRow(Builder& builder, const AttentionForm& form) {
    if (has_rows_of_groups(form)) return;
    of_heads = true;
    rows = {"group", "queries"};
    heads = {"kv_heads", "batch"};
    const Expr group_size = builder.argument("group", ScalarType::u32),
               kv_heads = builder.argument("kv_heads", ScalarType::u32),
               queries = builder.argument("queries", ScalarType::u32);
    row = builder.let("row", builder.block_x() % group_size * queries + builder.block_y());
    head = builder.let("head", builder.block_z() * kv_heads + builder.block_x() / group_size);
  }

  Tensor output(Builder& builder, const AttentionForm& form, ScalarType type) const {
    const Builder::AxisSpec element = {"e", form.value_width};
    if (!of_heads) return builder.output("o", type, {element, {"row", rows}, {"head", heads}});
    std::vector<Builder::AxisSpec> axes = axes_of_heads();
    if (form.orders.o == AttentionOrder::bshd) std::swap(axes[0], axes[1]);
    axes.insert(axes.begin(), element);
    return builder.output("o", type, axes);
  }
  // (value_width, 1) of the workgroup.
  View part(Builder& builder, const AttentionForm& form, const Tensor& o) const {
    const std::int64_t width = form.value_width;
    const Expr x = builder.block_x(), y = builder.block_y(), z = builder.block_z();
    if (!of_heads) return slice(tile(o, {width, 1, 1}, {0, x, y}), {_, _, 0});
    return form.orders.o == AttentionOrder::bhsd
               ? slice(tile(o, {width, 1, 1, 1}, {0, y, x, z}), {_, _, 0, 0})
               : slice(tile(o, {width, 1, 1, 1}, {0, x, y, z}), {_, 0, _, 0});
  }

  std::optional<Tensor> log_sums(Builder& builder, const AttentionForm& form) const {
    if (!form.log_sums) return std::nullopt;
    return builder.output("log_sums", ScalarType::f32,
                          of_heads
                              ? axes_of_heads()
                              : std::vector<Builder::AxisSpec>{{"row", rows}, {"head", heads}});
  }
  // (1, 1, 1) of the workgroup.
  View part(Builder& builder, const Tensor& log_sums) const {
    const Expr x = builder.block_x(), y = builder.block_y(), z = builder.block_z();
    return of_heads ? tile(log_sums, {1, 1, 1}, {y, x, z})
                    : repeat(tile(log_sums, {1, 1}, {x, y}), 2, 1);
  }

  bool of_heads = false;
  Extent rows = "rows", heads = "heads";
  Expr row = ir::variable(kBlockNames[0]), head = ir::variable(kBlockNames[1]);

 private:
  static std::vector<Builder::AxisSpec> axes_of_heads() {
    return {{"row", "queries"}, {"head", {"kv_heads", "group"}}, {"entry", "batch"}};
  }
};

}  // namespace

ir::Kernel attention_combine(const AttentionForm& form, ScalarType type, const DeviceCaps& device,
                             const std::string& name) {
  throw_if_any(name, reasons_against(form));
  constexpr ScalarType f32 = ScalarType::f32;
  constexpr std::int64_t one = 1;
  const std::int64_t vector = power_dividing(form.value_width, widest_access(f32));
  const std::int64_t threads_per_slice = power_dividing(form.value_width / vector, 32);
  const std::int64_t lanes = device.subgroup_size;
  const std::int64_t at_once = std::max<std::int64_t>(8, lanes / threads_per_slice);  // slices
  const Layout threads = make_layout({threads_per_slice, at_once});
  Builder builder(name, size(threads), to_index(lanes));
  builder.header({{"type", std::string(to_string(type))}, {"form", form_text(form)}},
                 "slices are weighed by their maxima, and added up always in the same order");
  const SliceRow own(builder, form);
  const Builder::AxisSpec row = {"row", own.rows}, head = {"head", own.heads},
                          slice_axis = {"slice", "slices"};
  const Tensor slice_sums =
      builder.input("slice_sums", f32, {{"e", form.value_width}, row, head, slice_axis});
  const auto of_rows = [&](const char* of) {
    return builder.input(of, f32, {row, head, slice_axis});
  };
  const Tensor slice_max = of_rows("slice_max"), slice_row_sums = of_rows("slice_row_sums");
  const auto sink = read_sink(builder, form, builder.block_x());
  const auto log_sums = own.log_sums(builder, form);
  const Tensor o = own.output(builder, form, type);

  const Expr thread_of_slice = builder.thread() % to_index(threads_per_slice),
             slice_at = builder.thread() / to_index(threads_per_slice);
  const auto tile_of_sums = [&](const Expr& chunk) {  // (vector, accesses, 1)
    return partition(
        slice(tile(slice_sums, {form.value_width, 1, 1, at_once}, {0, own.row, own.head, chunk}),
              {_, 0, 0, _}),
        make_tiled_copy(threads, make_layout({vector, one})), builder.thread());
  };
  const auto of_slice = [&](const Tensor& of, const Expr& chunk) {  // (1)
    return partition(slice(tile(of, {1, 1, at_once}, {own.row, own.head, chunk}), {0, 0, _}),
                     make_tiled_copy(make_layout({at_once}), make_layout({one})), slice_at);
  };
  const View part = builder.make_fragment_like("part", f32, tile_of_sums(0));
  const View max_of_slice = builder.registers("max_of_slice", f32, Layout(IntTuple{1, 1, 1}));
  const View row_sum_of_slice =
      builder.registers("row_sum_of_slice", f32, Layout(IntTuple{1, 1, 1}));
  const View sums = builder.make_fragment_like("sums", f32, part);
  RunningSoftmax softmax(builder, score_factors(builder, form), max_of_slice,
                         {.columns = 2, .threads = threads, .shared_by_row = 1}, sink);
  softmax.start();
  builder.assign(sums, 0);
  builder.loop("chunk", ceil_div(slice_sums.extent(3), to_index(at_once)), [&](const Expr& chunk) {
    builder.assign(max_of_slice, kMaximum.neutral(f32));  // where there is no slice
    builder.copy(of_slice(slice_max, chunk), builder.retile(max_of_slice, Layout(1, 1)));
    builder.copy(of_slice(slice_row_sums, chunk), builder.retile(row_sum_of_slice, Layout(1, 1)),
                 {.edges = Edges::zero});
    builder.copy(tile_of_sums(chunk), part, {.edges = Edges::zero, .vector = {to_index(vector)}});
    softmax.update_per_thread(max_of_slice, sums, &row_sum_of_slice);
    builder.with_title("sums += part * max_of_slice", [&] {
      builder.apply(
          sums,
          [](const Expr& sum, const Expr& x, const Expr& weight) {
            return multiply_add(x, weight, sum);
          },
          sums, part, max_of_slice);
    });
  });
  softmax.merge(sums);
  softmax.divide(sums);
  const View to =
      partition(own.part(builder, form, o),
                make_tiled_copy(make_layout({threads_per_slice, one}), make_layout({vector, one})),
                thread_of_slice);
  if (log_sums) {
    builder.branch({equal(thread_of_slice, 0)},
                   [&] { softmax.store_log_sums(own.part(builder, *log_sums)); });
  }
  builder.branch({equal(slice_at, 0)},
                 [&] { builder.copy(sums, to, {.vector = {to_index(vector)}}); });
  return builder.finish();
}

}  // namespace vkmoye::gen
