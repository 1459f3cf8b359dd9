// SPDX-License-Identifier: MIT
// A benchmark of one's own: what is computed, with its definition, and two kernels for it, one of them
// wrong.

#include <cmath>
#include <vkmoye/bench/bench.hpp>
#include <vkmoye/vkmoye.hpp>

using namespace vkmoye;

namespace {

// dst[i] = factor * src[i] + shift[i]
gen::ir::Kernel scale(const gen::KernelRequest& request, int factor) {
  using namespace vkmoye::gen;
  const Layout threads = make_layout({128});
  Builder k("scale", 128);
  k.describe({{"factor", std::to_string(factor)}}, "an element a thread");
  const Tensor src = k.input("src", request.type, {{"i", "count"}});
  const Tensor shift = k.input("shift", request.type, {{"i", "count"}});
  const Tensor dst = k.output("dst", request.type, {{"i", "count"}});
  const auto mine = [&](const Tensor& tensor) {
    return parallelize(tile(tensor, {128}, {k.block_x()}), threads, k.thread());
  };
  const View x = mine(src);
  const View y = k.make_fragment_like("y", request.type, x);
  k.assign(y, ir::number(request.type, 0));
  k.apply(
      y, [&](Expr a, Expr b) { return a * ir::number(request.type, factor) + b; }, x, mine(shift));
  k.copy(y, mine(dst));
  return k.finish();
}

bench::OperationRow scaling() {
  bench::OperationRow row;
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

gen::KernelEntry kernel(const char* name, int factor) {
  gen::KernelEntry entry;
  entry.name = name;
  entry.operation = "scaling";
  entry.summary = "three times an array, and another one";
  entry.source = "ours";
  entry.types = {ScalarType::f32};
  entry.describe = [factor](const gen::KernelRequest& request) { return scale(request, factor); };
  return entry;
}

}  // namespace

int main(int argc, char** argv) {
  bench::Registry registry;
  registry.operations = {scaling()};
  registry.kernels = {kernel("own/scale", 3), kernel("own/wrong", 2)};
  return bench::main(argc, argv, registry);
}
