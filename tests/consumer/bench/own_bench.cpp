// SPDX-License-Identifier: MIT
// A user's own benchmark: an operation with its definition, and kernels for it, one of them wrong, one written by hand;
// an operation with arrays of several types; and one with results that the kernel also reads, and inputs of its own.

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
  k.header({{"factor", std::to_string(factor)}}, "an element a thread");
  const Tensor src = k.input("src", gen::type_of(request.form), {{"i", "count"}});
  const Tensor shift = k.input("shift", gen::type_of(request.form), {{"i", "count"}});
  const Tensor dst = k.output("dst", gen::type_of(request.form), {{"i", "count"}});
  const auto mine = [&](const Tensor& tensor) {
    return parallelize(tile(tensor, {group}, {k.block_x()}), threads, k.thread());
  };
  const View x = mine(src);
  const View y = k.make_fragment_like("y", gen::type_of(request.form), x);
  k.assign(y, 0);
  k.apply(
      y, [&](Expr a, Expr b) { return a * ir::number(gen::type_of(request.form), factor) + b; }, x,
      mine(shift));
  k.copy(y, mine(dst));
  return k.finish();
}

// The same, written by hand.
gen::ir::Kernel scale_by_hand(const gen::KernelRequest&) {
  const ScalarType f32 = ScalarType::f32;
  gen::Builder k("own/glsl", 64);
  k.header({}, "a shader that was written by hand");
  k.input("src", f32, {{"i", "count"}});
  k.input("shift", f32, {{"i", "count"}});
  k.output("dst", f32, {{"i", "count"}});
  k.grid(0, "count", 64);
  return k.finish_with_glsl({.glsl = R"(#version 460
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Src { float src[]; };
layout(std430, binding = 1) readonly buffer Shift { float shift[]; };
layout(std430, binding = 2) writeonly buffer Dst { float dst[]; };
layout(push_constant) uniform Arguments { uint count, first_group_x, first_group_y; };
void main() {
  uint i = 64u * (gl_WorkGroupID.x + first_group_x) + gl_LocalInvocationIndex;
  if (i < count) dst[i] = 3.0 * src[i] + shift[i];
}
)"});
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
  const Tensor src = k.input("src", gen::type_of(request.form), {{"i", "count"}});
  const Tensor shift = k.input("shift", f32, {{"i", "count"}});
  const Tensor dst = k.output("dst", f32, {{"i", "count"}});
  const auto mine = [&](const Tensor& tensor) {
    return parallelize(tile(tensor, {128}, {k.block_x()}), threads, k.thread());
  };
  const View x = mine(src);
  const View y = k.make_fragment_like("y", f32, x);
  k.assign(y, 0);
  k.apply(
      y, [&](Expr a, Expr b) { return convert(a, f32) + b; }, x, mine(shift));
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

// totals[key[i]] += 1 for each key below the number of totals; seen[i] = key[i]
gen::ir::Kernel tally(const gen::KernelRequest&) {
  using namespace vkmoye::gen;
  const ScalarType u32 = ScalarType::u32;
  Builder k("tally", 128);
  const Tensor keys = k.input("keys", u32, {{"i", "count"}});
  k.in_out("totals", u32, {{"key", "most"}});
  const Tensor seen = k.output("seen", u32, {{"i", "count"}});
  const Expr i = 128 * k.block_x() + k.thread();
  k.copy(parallelize(tile(keys, {128}, {k.block_x()}), make_layout({128}), k.thread()),
         parallelize(tile(seen, {128}, {k.block_x()}), make_layout({128}), k.thread()));
  k.branch({less(i, keys.extent(0))}, [&] {
    const Expr key = to_index(k.load("key", ir::Element{"keys", {i}}));
    k.branch({less(key, ir::variable("most"))}, [&] {
      k.accumulate_atomically("before", {"totals", {key}}, kSum, ir::number(u32, 1));
    });
  });
  return k.finish();
}

bench::OperationEntry tallying() {
  bench::OperationEntry row;
  row.name = "tallying";
  row.size_form = "COUNTxKEYS";
  row.example = {1000, 7};
  row.problem = [](const std::vector<std::int64_t>& size, ScalarType) {
    bench::Problem problem{
        {{"keys", {size[0]}}}, {"totals", {size[1]}}, {{"count", size[0]}, {"most", size[1]}}};
    problem.inputs[0].value = [keys = size[1]](std::uint64_t, std::uint64_t bits) {
      return static_cast<double>(bits % static_cast<std::uint64_t>(keys + 2));
    };
    problem.output.in_out = true;
    problem.more_outputs = {{"seen", {size[0]}}};
    return problem;
  };
  row.references = [](const bench::Problem&, std::span<const std::vector<double>> in,
                      std::span<std::vector<bench::Expected>> out) {
    for (std::size_t key = 0; key < out[0].size(); ++key) out[0][key].value = in[1][key];
    for (std::size_t i = 0; i < in[0].size(); ++i) {
      if (in[0][i] < out[0].size()) out[0][static_cast<std::size_t>(in[0][i])].value += 1;
      out[1][i].value = in[0][i];
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

gen::KernelEntry glsl_kernel() {
  gen::KernelEntry entry = kernel("own/glsl", 3);
  entry.summary = "three times an array, and another one, written by hand";
  entry.describe = scale_by_hand;
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

gen::KernelEntry tally_kernel() {
  gen::KernelEntry entry;
  entry.name = "own/tally";
  entry.operation = "tallying";
  entry.summary = "how often each key occurs";
  entry.source = "ours";
  entry.types = {ScalarType::u32};
  entry.describe = tally;
  return entry;
}

}  // namespace

int main(int argc, char** argv) {
  bench::Registry registry;
  registry.operations = {scaling(), widening(), tallying()};
  registry.kernels = {kernel("own/scale", 3), kernel("own/wrong", 2), kernel("own/narrow", 3, 32),
                      glsl_kernel(),          widening_kernel(),      tally_kernel()};
  return bench::main(argc, argv, registry);
}
