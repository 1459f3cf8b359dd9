// SPDX-License-Identifier: MIT
// A user's own benchmark: an operation with its definition, and kernels for it, one of them wrong; and an operation
// with arrays of several types.

#include <cmath>
#include <vkmoye/bench/bench.hpp>
#include <vkmoye/vkmoye.hpp>

using namespace vkmoye;

namespace {

// dst[i] = factor * src[i] + shift[i]
gen::ir::Kernel scale(const gen::KernelRequest& request, int factor, std::int64_t group) {
  using namespace vkmoye::gen;
  const Layout threads = make_layout({group});
  Builder k("scale", static_cast<std::uint32_t>(group));
  k.describe({{"factor", std::to_string(factor)}}, "an element a thread");
  const Tensor src = k.input("src", request.type, {{"i", "count"}});
  const Tensor shift = k.input("shift", request.type, {{"i", "count"}});
  const Tensor dst = k.output("dst", request.type, {{"i", "count"}});
  const auto mine = [&](const Tensor& tensor) {
    return parallelize(tile(tensor, {group}, {k.block_x()}), threads, k.thread());
  };
  const View x = mine(src);
  const View y = k.make_fragment_like("y", request.type, x);
  k.assign(y, ir::number(request.type, 0));
  k.apply(
      y, [&](Expr a, Expr b) { return a * ir::number(request.type, factor) + b; }, x, mine(shift));
  k.copy(y, mine(dst));
  return k.finish();
}

bench::OperationEntry scaling() {
  bench::OperationEntry row;
  row.name = "scaling";
  row.size_form = "COUNT";
  row.example = {1 << 20};
  row.problem = [](const std::vector<std::int64_t>& size, ScalarType) {
    return bench::Problem{
        {{"src", size}, {"shift", size}}, {"dst", size}, {{"count", size[0]}}, 2.0 * size[0]};
  };
  row.reference = [](const bench::Problem&, std::span<const std::vector<double>> in,
                     std::span<bench::Expected> out) {
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i].value = 3 * in[0][i] + in[1][i];
      out[i].bound = std::ldexp(3 * std::fabs(in[0][i]) + std::fabs(out[i].value), -23);
    }
  };
  return row;
}

// dst[i] = src[i] + shift[i]; src has the requested type, the others are f32
gen::ir::Kernel widen(const gen::KernelRequest& request) {
  using namespace vkmoye::gen;
  const ScalarType f32 = ScalarType::f32;
  const Layout threads = make_layout({128});
  Builder k("widen", 128);
  const Tensor src = k.input("src", request.type, {{"i", "count"}});
  const Tensor shift = k.input("shift", f32, {{"i", "count"}});
  const Tensor dst = k.output("dst", f32, {{"i", "count"}});
  const auto mine = [&](const Tensor& tensor) {
    return parallelize(tile(tensor, {128}, {k.block_x()}), threads, k.thread());
  };
  const View x = mine(src);
  const View y = k.make_fragment_like("y", f32, x);
  k.assign(y, ir::number(f32, 0));
  k.apply(
      y, [&](Expr a, Expr b) { return ir::convert(a, f32) + b; }, x, mine(shift));
  k.copy(y, mine(dst));
  return k.finish();
}

bench::OperationEntry widening() {
  bench::OperationEntry row;
  row.name = "widening";
  row.size_form = "COUNT";
  row.example = {1 << 20};
  row.problem = [](const std::vector<std::int64_t>& size, ScalarType) {
    const ScalarType f32 = ScalarType::f32;
    return bench::Problem{
        {{"src", size}, {"shift", size, f32}}, {"dst", size, f32}, {{"count", size[0]}}};
  };
  row.reference = [](const bench::Problem&, std::span<const std::vector<double>> in,
                     std::span<bench::Expected> out) {
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i].value = in[0][i] + in[1][i];
      out[i].bound = std::ldexp(std::fabs(out[i].value), -23);
    }
  };
  return row;
}

gen::KernelEntry kernel(const char* name, int factor, std::int64_t group = 128) {
  gen::KernelEntry entry;
  entry.name = name;
  entry.operation = "scaling";
  entry.summary = "three times an array, and another one";
  entry.source = "ours";
  entry.types = {ScalarType::f32};
  entry.describe = [factor, group](const gen::KernelRequest& request) {
    return scale(request, factor, group);
  };
  return entry;
}

gen::KernelEntry widening_kernel() {
  gen::KernelEntry entry;
  entry.name = "own/widen";
  entry.operation = "widening";
  entry.summary = "an array as f32, and another one";
  entry.source = "ours";
  entry.types = {ScalarType::i32, ScalarType::f32};
  entry.describe = widen;
  return entry;
}

}  // namespace

int main(int argc, char** argv) {
  bench::Registry registry;
  registry.operations = {scaling(), widening()};
  registry.kernels = {kernel("own/scale", 3), kernel("own/wrong", 2), kernel("own/narrow", 3, 32),
                      widening_kernel()};
  return bench::main(argc, argv, registry);
}
