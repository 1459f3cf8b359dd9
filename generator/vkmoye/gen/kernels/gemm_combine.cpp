#include "vkmoye/gen/kernels/gemm_combine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/blocks.hpp"
#include "vkmoye/gen/kernels/threads_config.hpp"
#include "vkmoye/layout/text.hpp"
#include "vkmoye/tensor/copy_atom.hpp"

namespace vkmoye::gen {
namespace {

constexpr std::int64_t kElements = 32;  // accesses of a workgroup side by side
constexpr std::int64_t kSlices = 8;     // threads along slices, at most
constexpr std::int64_t kInFlight = 4;   // slices of a thread

// Threads along n, which may be short.
std::int64_t along_n(const std::optional<std::vector<std::int64_t>>& shape, std::int64_t vector) {
  if (!shape) return kElements;
  const auto accesses = static_cast<std::uint64_t>(((*shape)[1] + vector - 1) / vector);
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::bit_ceil(accesses)), 1, kElements);
}

}  // namespace

GemmForm form_of_slices(GemmForm form) {
  form.result = factor_type(form);
  form.beta = false;
  form.split_k = true;
  return form;
}

ir::Kernel gemm_combine(const GemmForm& form, const std::optional<std::vector<std::int64_t>>& shape,
                        const DeviceCaps& device, const std::string& name) {
  const ScalarType type = factor_type(form);
  const std::int64_t most = threads_config(type, device).most_threads;
  const std::int64_t vector = kWidestCopy / static_cast<std::int64_t>(size_of(type));
  const std::int64_t n = along_n(shape, vector), m = kElements / n;
  const std::int64_t slices = std::min(kSlices, most / kElements);
  const Layout threads = make_layout({n, m, slices});

  Builder k(name, size(threads), device.subgroup_size);
  k.describe({{"form", form_text(form)}, {"threads", to_string(threads)}},
             "threads along slices are added up last, always in the same order");
  for (const char* extent : {"m", "n"}) k.argument(extent, ScalarType::u32);
  const Tensor partials = k.input("partials", type, {{"n", "n"}, {"m", "m"}, {"slice", "slices"}});
  const std::vector<Builder::AxisName> axes = {{"n", "n"}, {"m", "m", "ldc"}};
  const Tensor c = form.beta ? k.in_out("c", form.result, axes) : k.output("c", form.result, axes);

  // ((value), 1, 1, in flight): a thread's elements, slice by slice.
  const TiledCopy copy = make_tiled_copy(threads, make_layout({vector, 1, 1}));
  Blocks blocks(k, partials, {n * vector, m, slices * kInFlight}, copy);
  const View values = blocks.registers("values", type);
  const View sums = k.registers("sums", type, Layout(first_along(values, {3}).shape()));
  k.assign(sums, ir::number(type, 0));
  const Expr steps =
      ceil_div(Builder::extent(partials, 2), static_cast<std::uint32_t>(slices * kInFlight));
  k.loop("chunk", steps, [&](const Expr& chunk) {
    blocks.load({k.block_x(), k.block_y(), chunk}, values, ir::number(type, 0));
    k.accumulate(sums, kSum, values);
  });
  if (slices > 1) k.reduce_across(sums, kSum, threads, 2);

  const std::vector<Expr> at = thread_coordinates(threads, k.thread());
  const TiledCopy in_c =
      make_tiled_copy(make_layout({n, m}), make_layout({vector, std::int64_t{1}}));
  const View to = partition(tile(c, {n * vector, m}, {k.block_x(), k.block_y()}), in_c,
                            k.thread() % to_index(n * m));
  const View result = k.make_fragment_like("result", form.result, to);
  const auto width = kWidestCopy / static_cast<std::int64_t>(size_of(form.result));
  const Vector at_once{to_index(std::min(vector, width))};
  std::optional<Expr> beta;
  if (form.beta) beta = k.argument("beta", type);
  k.branch({ir::equal(at[2], 0)}, [&] {
    if (beta) k.copy(to, result, {.edges = Edges::zero, .vector = at_once});
    k.axpby(ir::number(type, 1), k.retile(sums, to), beta, result);
    k.copy(result, to, {.vector = at_once});
  });
  return k.finish();
}

}  // namespace vkmoye::gen
