// SPDX-License-Identifier: MIT
#include "baselines/peak.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "devices/device_executor.hpp"
#include "vkmoye/contract/scalar_value.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/products/sums/gemm_atom.hpp"
#include "vkmoye/gen/numbers/number.hpp"
#include "vkmoye/gen/numbers/random.hpp"

namespace vkmoye::bench {
namespace {

using gen::Builder;
using gen::Expr;
using gen::View;

// Numbers so small that the sums of all rounds stay finite; whole numbers for integer types.
std::vector<std::byte> peak_input(ScalarType type, std::uint64_t elements, std::uint64_t seed) {
  const std::size_t width = size_of(type);
  std::vector<std::byte> out(elements * width);
  for (std::uint64_t i = 0; i < elements; ++i) {
    const auto bits = static_cast<double>(gen::random_bits(seed, i) % 127);
    gen::store_number(type, gen::range_of(type).epsilon == 0 ? bits : (bits - 63) / 4096,
                      &out[i * width]);
  }
  return out;
}

bool multiplies_matrices(const gen::ir::Kernel& kernel) {
  return std::any_of(kernel.arrays.begin(), kernel.arrays.end(),
                     [](const gen::ir::Array& array) { return array.matrix.has_value(); });
}

// Unrolls the steps of a round: on an H200, the loop counter took a sixth of the time of 16 multiply-adds.
void loop_over_steps(Builder& k, const Expr& rounds, const std::function<void()>& step) {
  k.loop("repeat", rounds, [&](const Expr&) {
    k.loop(
        "step", kPeakSteps, [&](const Expr&) { step(); }, gen::ir::Unroll::always);
  });
}

// The number of rounds that takes about two milliseconds, far longer than the overhead of a launch.
std::int64_t rounds_for(Device& device, const Pipeline& pipeline,
                        const std::vector<BufferView>& buffers) {
  constexpr std::int64_t kFew = 4, kMax = 1 << 16;
  constexpr double kMicroseconds = 2000;
  const Launch few = device.prepare(pipeline, buffers, {{"rounds", kFew}});
  device.run(few);  // the first one is slow
  const double microseconds = std::max(device.run(few), 0.1);
  const double rounds = static_cast<double>(kFew) * kMicroseconds / microseconds;
  return std::clamp(static_cast<std::int64_t>(rounds), kFew, kMax);
}

// Runs the kernel on whole numbers and compares all that it writes with its definition. Throws WrongResult.
void require_right(Device& device, const PeakKernel& peak, const Pipeline& pipeline,
                   std::vector<Buffer>& buffers, std::uint64_t seed) {
  PeakInputs inputs;
  const auto choices = static_cast<std::uint64_t>(peak.most - peak.least + 1);
  for (std::size_t i = 0; i < peak.inputs.size(); ++i) {
    const auto& [type, elements] = peak.inputs[i];
    std::vector<double>& numbers = inputs.emplace_back(elements);
    std::vector<std::byte> bytes(elements * size_of(type));
    for (std::uint64_t j = 0; j < elements; ++j) {
      const auto drawn = static_cast<std::int64_t>(gen::random_bits(seed + i, j) % choices);
      numbers[j] = static_cast<double>(peak.least + drawn);
      gen::store_number(type, numbers[j], &bytes[j * size_of(type)]);
    }
    buffers[i].write(bytes);
  }
  std::vector<std::byte> found(peak.output_bytes, std::byte{0xa5});
  buffers.back().write(found);
  device.run(device.prepare(pipeline, {buffers.begin(), buffers.end()},
                            {{"rounds", peak.rounds_to_check}}));
  buffers.back().read(found);
  const std::vector<double> wanted = peak.definition(inputs);
  const std::size_t width = size_of(peak.result);
  for (std::size_t at = 0; at < found.size() / width; ++at) {
    const double number = gen::load_number(peak.result, &found[at * width]);
    const double definition = wanted[at % wanted.size()];
    if (number == definition) continue;
    throw WrongResult(
        fmt::format("its result is wrong: element {} is {}, not {}", at, number, definition));
  }
}

}  // namespace

PeakKernel peak_of_numbers(ScalarType type, std::int64_t groups) {
  constexpr std::int64_t kThreads = 256, kValues = 16, kTile = kThreads * kValues;
  Builder k("peak", kThreads);
  k.header({{"type", std::string(to_string(type))}},
           "as many multiply-adds as possible: the operands stay in registers");
  const gen::Tensor src = k.input("src", type, {{"i", kTile}});
  const gen::Tensor dst = k.output("dst", type, {{"i", groups * kTile}});
  const Expr rounds = k.argument("rounds", ScalarType::u32);
  const Layout threads = make_layout({kThreads});
  const View from = parallelize(tile(src, {kTile}, {0}), threads, k.thread());
  const View to = parallelize(tile(dst, {kTile}, {k.block_x()}), threads, k.thread());
  const View x = k.make_fragment_like("x", type, from);
  k.copy(from, x, {.edges = gen::Edges::inside});
  const bool whole = gen::range_of(type).epsilon == 0;
  // A compiler turns several steps of 5 x + 1 into one; of x x + 1 it cannot.
  const Expr one = gen::ir::number(type, 1), half = whole ? one : gen::ir::number(type, 0.5);
  loop_over_steps(k, rounds, [&] {
    k.apply(
        x,
        [&](const Expr& value) { return gen::ir::multiply_add(value, whole ? value : half, one); },
        x);
  });
  k.copy(x, to);
  PeakKernel out;
  out.kernel = k.finish();
  out.work_of_a_round = 2.0 * kPeakSteps * static_cast<double>(groups * kTile);
  out.inputs = {{type, kTile}};
  out.result = type;
  // Halving the distance to 2 is exact, if it begins at a whole number of 7 bits: f16 has 11.
  out.least = whole ? 0 : -62;
  out.most = out.least + 126;
  out.definition = [type, whole](const PeakInputs& inputs) {
    std::vector<double> wanted;
    for (double x : inputs[0]) {
      auto bits = static_cast<std::uint32_t>(x);
      for (std::uint32_t step = 0; step < kPeakSteps; ++step) {
        x = 0.5 * x + 1;
        bits = bits * bits + 1;
      }
      wanted.push_back(whole ? number_of(type, bits) : x);
    }
    return wanted;
  };
  out.output_bytes = static_cast<std::uint64_t>(groups * kTile) * size_of(type);
  return out;
}

PeakKernel peak_of_matrices(const gen::GemmForm& form, const DeviceCaps& device,
                            std::int64_t groups) {
  const bool has =
      std::any_of(device.matrix_shapes.begin(), device.matrix_shapes.end(),
                  [&](const MatrixShape& shape) { return gen::multiplies(shape, form); });
  if (!has) {
    throw Unavailable(fmt::format("{} has no matrix units for {} accumulated in {}", device.name,
                                  to_string(multiplied_type(form)), to_string(form.accumulator)));
  }
  using Use = gen::ir::MatrixType::Use;
  constexpr std::int64_t kRows = 2, kColumns = 4;
  const gen::MatrixAtom atom = gen::gemm_atom(form, device);
  const std::int64_t m = kRows * atom.atom_m, n = kColumns * atom.atom_n, depth = atom.atom_k;
  const auto size = [](std::int64_t rows, std::int64_t columns, Use use) {
    return gen::ir::MatrixType{use, static_cast<std::uint32_t>(rows),
                               static_cast<std::uint32_t>(columns)};
  };
  Builder k("peak", atom.subgroup_size, static_cast<std::uint32_t>(atom.subgroup_size));
  k.header({{"form", form_text(form)},
            {"atom", fmt::format("{}x{}x{}", atom.atom_m, atom.atom_n, atom.atom_k)}},
           "as many matrix products as possible: the operands stay in registers");
  const gen::Tensor A = k.input("a", multiplied_type(form), {{"k", depth}, {"m", m}});
  const gen::Tensor B = k.input("b", multiplied_type(form), {{"n", n}, {"k", depth}});
  const gen::Tensor C = k.output("c", form.accumulator, {{"n", n}, {"m", groups * m}});
  const Expr rounds = k.argument("rounds", ScalarType::u32);
  const gen::Matrices a =
      k.matrices("matrices_a", multiplied_type(form), size(atom.atom_m, depth, Use::a), kRows, 1);
  const gen::Matrices b = k.matrices("matrices_b", multiplied_type(form),
                                     size(depth, atom.atom_n, Use::b), 1, kColumns);
  const gen::Matrices sums = k.matrices(
      "sums", form.accumulator, size(atom.atom_m, atom.atom_n, Use::accumulator), kRows, kColumns);
  k.load(transpose(tile(A, {depth, m}, {0, 0})), a);
  k.load(transpose(tile(B, {n, depth}, {0, 0})), b);
  k.assign(sums, 0);
  loop_over_steps(k, rounds, [&] { k.multiply(a, b, sums); });
  const View to = tile(C, {n, m}, {0, k.block_x()});
  k.branch(k.inside(to),
           [&] { k.store(sums, 0, transpose(to)); });  // always true; the verifier needs it
  PeakKernel out;
  out.kernel = k.finish();
  out.work_of_a_round = 2.0 * kPeakSteps * static_cast<double>(groups) * static_cast<double>(m) *
                        static_cast<double>(n) * static_cast<double>(depth);
  out.inputs = {{multiplied_type(form), static_cast<std::uint64_t>(m * depth)},
                {multiplied_type(form), static_cast<std::uint64_t>(n * depth)}};
  out.result = form.accumulator;
  // Sums of at most 8 * depth such products are exact in f16.
  out.least = is_unsigned(multiplied_type(form)) ? 0 : -1;
  out.most = 1;
  out.definition = [m, n, depth](const PeakInputs& inputs) {
    std::vector<double> wanted;
    for (std::int64_t row = 0; row < m; ++row) {
      for (std::int64_t column = 0; column < n; ++column) {
        double sum = 0;
        for (std::int64_t i = 0; i < depth; ++i) {
          sum += inputs[0][static_cast<std::size_t>(i + depth * row)] *
                 inputs[1][static_cast<std::size_t>(column + n * i)];
        }
        wanted.push_back(kPeakSteps * sum);
      }
    }
    return wanted;
  };
  out.output_bytes = static_cast<std::uint64_t>(groups * m * n) * size_of(form.accumulator);
  return out;
}

std::int64_t groups_for_peak(const DeviceCaps& device) {
  // Enough to fill the largest GPUs several times; a CPU has only a few cores.
  return device.kind == DeviceKind::cpu ? 64 : 4096;
}

TimedWork time_peak(Device& device, const PeakKernel& peak, TimingRules rules, std::uint64_t seed) {
  const Pipeline pipeline = device.load(gen::compile(peak.kernel));
  std::vector<Buffer> buffers;
  for (const auto& [type, elements] : peak.inputs)
    buffers.push_back(device.buffer(elements * size_of(type)));
  buffers.push_back(device.buffer(peak.output_bytes));
  const std::vector<BufferView> views(buffers.begin(), buffers.end());
  require_right(device, peak, pipeline, buffers, seed);
  for (std::size_t i = 0; i < peak.inputs.size(); ++i) {
    const auto& [type, elements] = peak.inputs[i];
    buffers[i].write(peak_input(type, elements, seed));
  }
  const std::int64_t rounds = rounds_for(device, pipeline, views);
  const Launch launch = device.prepare(pipeline, views, {{"rounds", rounds}});
  rules.cold = false;  // it reads almost nothing from memory
  return {time_launches(device, {&launch, 1}, rules),
          peak.work_of_a_round * static_cast<double>(rounds)};
}

Timing time_peak(const BaselineRun& run, const gen::GemmForm& form, double flops) {
  if (run.step.compiled)
    throw Unavailable("the arithmetic of a kernel given as SPIR-V is not known");
  const DeviceCaps& caps = run.execution.caps();
  const std::int64_t groups = groups_for_peak(caps);
  const PeakKernel peak = multiplies_matrices(run.step.kernel)
                              ? peak_of_matrices(form, caps, groups)
                              : peak_of_numbers(form.accumulator, groups);
  TimedWork found = time_peak(run.execution.device(), peak, run.rules, run.seed);
  for (double& microseconds : found.timing.samples_us) microseconds *= flops / found.work;
  return std::move(found.timing);
}

}  // namespace vkmoye::bench
