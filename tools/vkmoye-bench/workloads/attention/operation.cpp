// SPDX-License-Identifier: MIT
#include "workloads/attention/operation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "baselines/copy.hpp"
#include "numbers/number.hpp"
#include "numbers/random.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/kernels/attention/choice/choose.hpp"
#include "workloads/attention/problem.hpp"
#include "workloads/attention/reference.hpp"

namespace vkmoye::bench {
namespace {

constexpr double kWork = 0x1p28;  // multiply-adds that are checked in about a second
constexpr const char* kNames[] = {"q", "k", "v", "o"};

class Attention : public Workload {
 public:
  Attention(const gen::KernelEntry& entry, gen::KernelRequest request, const Extents& size,
            AttentionOptions options, const gen::AttentionCall& call)
      : Workload(entry, std::move(request), size), options_(options), call_(call) {}

  std::vector<std::string> command_options() const override {
    return attention_command_options(options_);
  }
  std::vector<Array> arrays() const override {
    std::vector<Array> arrays;
    for (std::size_t i = 0; i < 4; ++i) {
      Array& array = arrays.emplace_back();
      array.name = kNames[i];
      array.bytes = elements(i) * size_of(request().type);
      if (i < 3) array.input = i;
    }
    return arrays;
  }
  Arguments arguments() const override { return gen::attention_arguments(call_); }
  std::vector<gen::ProbedMatrix> probes(const DeviceCaps& caps) const override {
    return entry().probes ? entry().probes(request_for(caps)) : std::vector<gen::ProbedMatrix>();
  }
  Plan plan(const DeviceCaps& caps) const override {
    return with_inputs(gen::attention_plan(entry(), request_for(caps)));
  }

  double bytes() const override {
    if (elements(3) == 0) return 0;
    double bytes = 0;
    for (const Array& array : arrays()) bytes += static_cast<double>(array.bytes);
    return bytes;
  }
  double flops() const override { return 2 * products(); }
  // Up to so many operations per byte, every device is memory-bound.
  bool is_bound_by_memory() const override { return flops() <= 8 * bytes(); }
  bool is_checked_in_full() const override { return products() <= kWork; }

  void fill(Execution& execution, std::uint64_t seed) const override {
    for (std::size_t i = 0; i < 3; ++i) execution.write(i, input_bytes(i, seed));
  }

  Verdict check(const Execution& execution, Verify verify, std::uint64_t seed) const override {
    const ScalarType type = request().type;
    const std::size_t width = size_of(type);
    const std::vector<std::byte> result = read_all(execution, 3, elements(3) * width);
    std::array<std::vector<std::byte>, 3> inputs;
    for (std::size_t i = 0; i < 3; ++i) inputs[i] = input_bytes(i, seed);
    const auto d = static_cast<std::size_t>(call_.form.width),
               e = static_cast<std::size_t>(call_.form.value_width),
               keys = static_cast<std::size_t>(call_.keys);
    std::vector<double> q(d), k(keys * d), v(keys * e);
    std::vector<Defined> row(e);
    std::int64_t loaded = -1;  // head of K and V
    Verdict verdict;
    for (const std::int64_t number : rows_to_check(verify, seed)) {
      const std::int64_t head = number / std::max<std::int64_t>(call_.rows(), 1);
      if (head != loaded) {
        load_numbers(type, inputs[1].data(), static_cast<std::uint64_t>(head) * k.size(), 1, k);
        load_numbers(type, inputs[2].data(), static_cast<std::uint64_t>(head) * v.size(), 1, v);
        loaded = head;
      }
      load_numbers(type, inputs[0].data(), static_cast<std::uint64_t>(number) * d, 1, q);
      define_attention(call_, type, execution.has_matrices(), number % call_.queries, q, k, v, row);
      for (std::size_t i = 0; i < e; ++i) {
        const std::size_t place = static_cast<std::size_t>(number) * e + i;
        compare(row[i], load_number(type, &result[place * width]), place, "o", verdict);
      }
    }
    return verdict;
  }

  Timing time_baseline(const std::string&, const BaselineRun& run) const override {
    return time_copy_of(static_cast<std::uint64_t>(bytes()), run);
  }

  std::vector<std::int64_t> result_shape() const override {
    return {call_.batch, call_.heads, call_.queries, call_.form.value_width};
  }

 protected:
  const AttentionOptions& options() const { return options_; }
  const gen::AttentionCall& call() const { return call_; }

  Plan with_inputs(gen::KernelPlan kernels) const {
    Plan plan = plan_of(std::move(kernels));
    for (std::size_t i = 0; i < 3; ++i) plan.arrays[i].input = i;
    plan.result = 3;
    return plan;
  }

 private:
  std::uint64_t elements(std::size_t which) const {
    const bool of_queries = which == 0 || which == 3;
    const Extents shape = {call_.batch, of_queries ? call_.heads : call_.kv_heads,
                           of_queries ? call_.queries : call_.keys,
                           which < 2 ? call_.form.width : call_.form.value_width};
    return static_cast<std::uint64_t>(product(shape));
  }

  // Multiply-adds: of each query and key that it sees.
  double products() const {
    double pairs = 0;
    if (!call_.form.causal && !call_.form.window) {
      pairs = static_cast<double>(call_.queries) * static_cast<double>(call_.keys);
    } else {
      for (std::int64_t query = 0; query < call_.queries; ++query) {
        const SeenKeys seen = seen_keys(call_, query);
        pairs += static_cast<double>(seen.end - seen.first);
      }
    }
    return pairs * static_cast<double>(call_.heads * call_.batch) *
           static_cast<double>(call_.form.width + call_.form.value_width);
  }

  std::vector<std::byte> input_bytes(std::size_t which, std::uint64_t seed) const {
    const ScalarType type = request().type;
    const std::size_t width = size_of(type);
    std::vector<std::byte> out(elements(which) * width);
    const std::uint64_t stream = random_bits(seed, which);
    for (std::uint64_t i = 0; i * width < out.size(); ++i) {
      // Scores of 64 products of numbers in [-2, 2) have a standard deviation of 11 before they are scaled.
      const double factor = which < 2 ? 2 : 1;
      store_number(type, factor * random_number(type, random_bits(stream, i)), &out[i * width]);
    }
    return out;
  }

  // All rows, or the first, the last and as many random ones as take about a second.
  std::vector<std::int64_t> rows_to_check(Verify verify, std::uint64_t seed) const {
    const std::int64_t rows = call_.batch * call_.heads * call_.queries;
    const double of_row = static_cast<double>(call_.keys) *
                          static_cast<double>(call_.form.width + call_.form.value_width);
    const auto most = static_cast<std::int64_t>(kWork / std::max(of_row, 1.0) / 4);
    std::vector<std::int64_t> out;
    if (verify == Verify::full || rows <= most + 2) {
      for (std::int64_t row = 0; row < rows; ++row) out.push_back(row);
      return out;
    }
    out = {0, rows - 1};
    for (std::int64_t i = 0; i < most; ++i) {
      out.push_back(static_cast<std::int64_t>(random_bits(~seed, static_cast<std::uint64_t>(i)) %
                                              static_cast<std::uint64_t>(rows)));
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

  AttentionOptions options_;
  gen::AttentionCall call_;
};

// attention/auto: only the plan depends on the choice.
class ChosenAttention : public Attention {
 public:
  using Attention::Attention;

  Step step(const DeviceCaps& caps) const override {
    Plan chosen = plan(caps);
    return std::move(chosen.steps[chosen.main]);
  }
  Plan plan(const DeviceCaps& caps) const override {
    refuse_options();
    return with_inputs(gen::attention_plan(*choose(caps).entry, request_for(caps)));
  }
  std::optional<Plan> plan_chosen_on(Executor& executor) const override {
    refuse_options();
    std::optional<Plan> plan;
    const auto choice =
        gen::choose_attention(request_for(executor.caps()), [&](const gen::KernelEntry& one) {
          const Attention chosen(one, request(), size(), options(), call());
          plan = plan_on(executor, chosen);
          std::vector<std::string> reasons = executor.reasons_against(*plan);
          if (reasons.empty()) reasons = executor.trial_failures(*plan);
          return reasons;
        });
    plan->chosen = {{"kernel", choice.entry->name}};
    return plan;
  }
  std::vector<std::string> choice(const DeviceCaps& caps) const override {
    const gen::AttentionChoice choice = choose(caps);
    std::vector<std::string> lines = {
        fmt::format("chosen: {}: {}", choice.entry->name, choice.why)};
    for (const std::string& passed : choice.passed) lines.push_back("passed over: " + passed);
    return lines;
  }

 private:
  // By the description of the device alone.
  gen::AttentionChoice choose(const DeviceCaps& caps) const {
    const gen::KernelRequest request = request_for(caps);
    return gen::choose_attention(request, [&](const gen::KernelEntry& one) {
      std::vector<std::string> reasons;
      for (const gen::KernelStep& step : gen::attention_plan(one, request).steps) {
        for (std::string& reason : reasons_against(gen::ir::interface_of(step.kernel), caps)) {
          reasons.push_back(std::move(reason));
        }
      }
      return reasons;
    });
  }
  void refuse_options() const {
    if (request().options.empty()) return;
    throw KernelError(entry().name, {gen::no_options_of_a_choice(request().options)});
  }
};

std::unique_ptr<Workload> make_attention(const WorkloadSpec& spec, const AttentionOptions& options,
                                         const Extents& size, ScalarType type) {
  const gen::AttentionCall call = attention_call(options, size);
  gen::KernelRequest request = gen::request_of(call, type, common_device(), spec.config);
  if (spec.entry->chooses) {
    return std::make_unique<ChosenAttention>(*spec.entry, std::move(request), size, options, call);
  }
  return std::make_unique<Attention>(*spec.entry, std::move(request), size, options, call);
}

std::unique_ptr<Workload> attention_of_size(const WorkloadSpec& spec, const Extents& size) {
  return make_attention(spec, read_attention(spec.values), size, parse_type(spec.type));
}

// q, k and v: (batch, heads, rows, width), or (heads, rows, width), or (rows, width).
std::unique_ptr<Workload> attention_of_arrays(const WorkloadSpec& spec,
                                              const std::vector<GivenArray>& given) {
  if (given.size() != 3) {
    throw ArgumentError(
        fmt::format("{} takes three arrays, q k v, got {}", spec.entry->name, given.size()));
  }
  const ScalarType type = spec.type.empty() ? given[0].type : parse_type(spec.type);
  std::vector<std::string> reasons;
  std::array<Extents, 3> shapes;
  for (std::size_t i = 0; i < 3; ++i) {
    const GivenArray& array = given[i];
    shapes[i] = array.shape;
    if (array.type != type) {
      reasons.push_back(fmt::format("{}: has type {}, {} takes {} there", array.name,
                                    to_string(array.type), spec.entry->name, to_string(type)));
    }
    if (array.shape.size() != 4) {
      reasons.push_back(fmt::format("{}: has shape {}, but {} is (batch, heads, rows, width)",
                                    array.name, shape_text(array.shape), kNames[i]));
    }
  }
  if (!reasons.empty()) throw ArgumentError(join(reasons, "; "));
  const auto& [q, k, v] = shapes;
  const auto expect = [&](bool holds, std::size_t i, std::size_t j, const char* what) {
    if (holds) return;
    reasons.push_back(fmt::format("{} with shape {} and {} with shape {} differ in {}",
                                  given[i].name, shape_text(shapes[i]), given[j].name,
                                  shape_text(shapes[j]), what));
  };
  expect(q[0] == k[0], 0, 1, "the batch");
  expect(q[3] == k[3], 0, 1, "the width");
  expect(k[0] == v[0] && k[1] == v[1] && k[2] == v[2], 1, 2, "batch, heads or rows");
  AttentionOptions options = read_attention(spec.values);
  for (const char* of_arrays : {"heads", "kv-heads", "batch", "value-width"}) {
    if (spec.values.count(of_arrays) == 0) continue;
    reasons.push_back(fmt::format("--{} follows from the arrays", of_arrays));
  }
  if (!reasons.empty()) throw ArgumentError(join(reasons, "; "));
  options.batch = q[0];
  options.heads = q[1];
  options.kv_heads = k[1];
  options.value_width = v[3] == q[3] ? 0 : v[3];
  return make_attention(spec, options, {q[2], k[2], q[3]}, type);
}

}  // namespace

Operation attentions() {
  Operation row;
  row.name = "attention";
  row.size = {"QUERIESxKEYSxWIDTH", 3, false, {1024, 1024, 64}};
  row.size.alike = 2;
  for (const auto& field : attention_fields()) {
    const bool of_arrays = field.name == "heads" || field.name == "kv-heads" ||
                           field.name == "batch" || field.name == "value-width";
    OperationOption& option = row.options.emplace_back();
    option.name = field.name;
    option.help = field.help;
    option.of_apply = !of_arrays;
    option.is_flag = field.name == "causal";
    if (field.expects.starts_with("a whole number")) option.expects = field.expects;
  }
  row.baselines = {"copy"};
  row.of_size = attention_of_size;
  row.of_arrays = attention_of_arrays;
  row.takes_fortran_order = [](const GivenArray&, std::size_t) { return false; };
  row.suite_sizes = [](bool cpu, bool quick) -> std::vector<Extents> {
    if (cpu) return {{64, 64, 64}, {33, 129, 64}};
    if (quick) return {{4096, 4096, 64}};
    return {{4096, 4096, 64}, {4096, 4096, 128}, {1, 4096, 128}};
  };
  return row;
}

}  // namespace vkmoye::bench
