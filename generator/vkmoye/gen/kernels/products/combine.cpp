// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/combine.hpp"

#include <algorithm>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"
#include "vkmoye/gen/kernels/common/powers.hpp"
#include "vkmoye/gen/kernels/common/threads_config.hpp"
#include "vkmoye/gen/kernels/common/tiled_array.hpp"
#include "vkmoye/gen/kernels/products/result/result.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::gen {
namespace {

constexpr std::int64_t kElements = 32;  // accesses side by side
constexpr std::int64_t kSlices = 8;     // maximum threads along slices; the others are along m
constexpr std::int64_t kInFlight = 4;   // slices that a thread loads at once

// The number of threads along n; fewer if n is small.
std::int64_t along_n(const std::optional<std::vector<std::int64_t>>& shape, std::int64_t vector) {
  if (!shape) return kElements;
  return std::clamp<std::int64_t>(next_power_of_two(ceil_div((*shape)[1], vector)), 1, kElements);
}

}  // namespace

GemmForm form_of_slices(GemmForm form) {
  form.result = sum_type(form);
  form.beta = false;
  form.epilogue.clear();
  form.split_k = true;
  return form;
}

ir::Kernel gemm_combine(const GemmForm& form, std::int64_t slices,
                        const std::optional<std::vector<std::int64_t>>& shape,
                        const DeviceCaps& device, const std::string& name) {
  if (form.split_k) throw KernelError(name, {"form: the combined product must not have split_k"});
  const ScalarType type = sum_type(form);
  const std::int64_t max_threads = threads_config(type, device).max_threads;
  const std::int64_t vector = widest_access(type);
  const std::int64_t others =
      std::min(kSlices, max_threads / kElements);  // threads along slices and m
  const std::int64_t along_slices =
      std::min(others, next_power_of_two(ceil_div(slices, kInFlight)));
  const std::int64_t n = along_n(shape, vector), m = kElements / n * (others / along_slices);
  const Layout threads = make_layout({n, m, along_slices});

  Builder builder(name, size(threads), device.subgroup_size);
  builder.header({{"form", form_text(form)}, {"threads", to_string(threads)}},
                 "threads along slices are added up last, always in the same order");
  for (const char* extent : {"m", "n"}) builder.argument(extent, ScalarType::u32);
  std::vector<Builder::AxisSpec> axes = {{"n", "n"}, {"m", "m"}, {"slice", "slices"}};
  if (form.batched) axes.push_back({"batch", "batch"});
  const Tensor partials = builder.input("partials", type, axes);
  GemmResult result(builder, form);

  // ((value), 1, 1, in flight): a thread's elements, slice by slice.
  const std::int64_t depth = along_slices * kInFlight;
  const bool batched = form.batched;
  TiledArray blocks(
      builder, partials,
      batched ? IntTuple{n * vector, m, depth, 1} : IntTuple{n * vector, m, depth},
      make_tiled_copy(batched ? make_layout({n, m, along_slices, 1}) : threads,
                      batched ? make_layout({vector, 1, 1, 1}) : make_layout({vector, 1, 1})));
  const View values = blocks.registers("values", type);
  const View sums = builder.registers("sums", type, Layout(first_along(values, {3}).shape()));
  builder.assign(sums, 0);
  const Expr steps = ceil_div(partials.extent(2), to_index(depth));
  builder.loop("chunk", steps, [&](const Expr& chunk) {
    std::vector<Expr> at = {builder.block_x(), builder.block_y(), chunk};
    if (batched) at.push_back(builder.block_z());
    blocks.load(at, values, ir::number(type, 0));
    builder.accumulate(sums, kSum, values);
  });
  if (along_slices > 1) builder.reduce_across(sums, kSum, threads, 2);

  const std::vector<Expr> at = thread_coordinates(threads, builder.thread());
  const TiledCopy in_c =
      make_tiled_copy(make_layout({n, m}), make_layout({vector, std::int64_t{1}}));
  const View to = partition(result.c(n * vector, m, builder.block_x(), builder.block_y()), in_c,
                            builder.thread() % to_index(n * m));
  Conditions is_first;  // whether this is the first of the threads along slices
  if (along_slices > 1) is_first.push_back(equal(at[2], 0));
  builder.branch(is_first, [&] {
    result.write(builder.retile(sums, to), to,
                 {to_index(std::min(vector, widest_access(form.result)))});
  });
  return builder.finish();
}

}  // namespace vkmoye::gen
