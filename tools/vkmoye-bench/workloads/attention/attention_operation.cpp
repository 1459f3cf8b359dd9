// SPDX-License-Identifier: MIT
#include "workloads/attention/attention_operation.hpp"

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
#include "workloads/attention/data.hpp"
#include "workloads/attention/given_arrays.hpp"
#include "workloads/attention/problem.hpp"
#include "workloads/attention/reference.hpp"

namespace vkmoye::bench {
namespace {

constexpr double kWork = 0x1p28;  // multiply-adds that are checked in about a second

class Attention : public Workload {
 public:
  Attention(const gen::KernelEntry& entry, gen::KernelRequest request, const Extents& size,
            AttentionOptions options, const gen::AttentionCall& call)
      : Workload(entry, std::move(request), size), options_(options), call_(call) {}

  std::string type_text() const override { return gen::type_text(request().type, call_.form); }
  std::vector<std::string> command_options() const override {
    return attention_command_options(options_);
  }
  std::vector<Array> arrays() const override {
    std::vector<Array> arrays;
    std::size_t inputs = 0;
    for (const gen::AttentionArray& one : gen::arrays_of(call_, request().type)) {
      Array& array = arrays.emplace_back();
      array.name = one.name;
      array.bytes = one.bytes();
      if (!one.is_result) array.input = inputs++;
    }
    return arrays;
  }
  Arguments arguments() const override { return gen::attention_arguments(call_); }
  std::vector<gen::ProbedMatrix> probes(const DeviceCaps& caps) const override {
    return entry().probes ? entry().probes(request_for(caps)) : std::vector<gen::ProbedMatrix>();
  }
  RunPlan plan(const DeviceCaps& caps) const override {
    return plan_over_arrays(gen::attention_plan(entry(), request_for(caps)));
  }

  double bytes() const override {
    const std::vector<Array> all = arrays();
    if (all.back().bytes == 0) return 0;
    double bytes = 0;
    for (const Array& array : all) bytes += static_cast<double>(array.bytes);
    return bytes;
  }
  double flops() const override { return 2 * products(); }
  // Up to so many operations per byte, every device is memory-bound.
  bool is_bound_by_memory() const override { return flops() <= 8 * bytes(); }
  bool is_checked_in_full() const override { return products() <= kWork; }

  void fill(Execution& execution, std::uint64_t seed) const override {
    const AttentionData data(call_, request().type, seed, options_.hard);
    for (std::size_t i = 0; i < data.inputs().size(); ++i) execution.write(i, data.inputs()[i]);
  }

  CheckResult check(const Execution& execution, Verify verify, std::uint64_t seed) const override {
    const gen::AttentionForm& form = call_.form;
    const ScalarType type = request().type;
    const AttentionData data(call_, type, seed, options_.hard);
    const std::vector<Array> all = arrays();
    const auto result_of = [&](std::size_t place) {
      return read_all(execution, place, all[place].bytes);
    };
    const std::vector<std::byte> result = result_of(all.size() - 1),
                                 log_sums = form.log_sums ? result_of(all.size() - 2)
                                                          : std::vector<std::byte>();
    const auto d = static_cast<std::size_t>(form.width),
               e = static_cast<std::size_t>(form.value_width),
               keys = static_cast<std::size_t>(call_.keys);
    std::vector<double> q(d), k(keys * d), v(keys * e), mask(form.mask ? keys : 0);
    std::vector<Expected> row(e);
    std::int64_t loaded = -1;  // head of K and V
    CheckResult checked;
    for (const std::int64_t number : rows_to_check(verify, seed)) {
      const std::int64_t query = number % call_.queries,
                         head = number / call_.queries % call_.heads,
                         entry = number / call_.queries / call_.heads;
      const std::int64_t kv_head = head / (call_.heads / call_.kv_heads);
      if (entry * call_.kv_heads + kv_head != loaded) {
        data.load_keys(entry, kv_head, k);
        data.load_values(entry, kv_head, v);
        loaded = entry * call_.kv_heads + kv_head;
      }
      data.load_query(entry, head, query, q);
      AttentionRow of = {query, length_of(call_, entry)};
      if (form.slopes) of.slope = data.slope(head);
      if (form.sinks) of.sink = data.sink(head);
      if (form.mask) {
        data.load_mask(entry, head, query, mask);
        of.mask = mask;
      }
      const Expected log_sum =
          define_attention(call_, type, execution.has_matrices(), of, q, k, v, row);
      const std::size_t begin = begin_of_row(form.orders.o, call_.heads, call_.queries,
                                             form.value_width, entry, head, query);
      for (std::size_t i = 0; i < e; ++i) {
        const double got = load_number(type, &result[(begin + i) * size_of(type)]);
        compare(row[i], got, begin + i, "o", checked);
      }
      if (!form.log_sums) continue;
      const auto place = static_cast<std::size_t>(number);
      compare(log_sum, load_number(ScalarType::f32, &log_sums[place * size_of(ScalarType::f32)]),
              place, "log_sums", checked);
    }
    return checked;
  }

  Timing time_baseline(const std::string&, const BaselineRun& run) const override {
    return time_copy_of(static_cast<std::uint64_t>(bytes()), run);
  }

  std::vector<std::int64_t> result_shape() const override {
    return gen::arrays_of(call_, request().type).back().shape;
  }
  std::vector<FurtherResult> further_results() const override {
    const auto all = gen::arrays_of(call_, request().type);
    std::vector<FurtherResult> results;
    for (std::size_t i = 0; i + 1 < all.size(); ++i) {
      if (all[i].is_result) results.push_back({i, all[i].shape, all[i].type});
    }
    return results;
  }

 protected:
  const AttentionOptions& options() const { return options_; }
  const gen::AttentionCall& call() const { return call_; }

 private:
  // Multiply-adds: of each query and key that it sees. What a mask hides counts.
  double products() const {
    double pairs = 0;
    const bool have_same_length = !call_.form.lengths;  // the entries of the batch
    const std::int64_t entries =
        have_same_length ? std::min<std::int64_t>(call_.batch, 1) : call_.batch;
    for (std::int64_t entry = 0; entry < entries; ++entry) {
      const std::int64_t length = length_of(call_, entry);
      if (!call_.form.causal && !call_.form.window) {
        pairs += static_cast<double>(call_.queries) * static_cast<double>(length);
        continue;
      }
      for (std::int64_t query = 0; query < call_.queries; ++query) {
        const SeenKeys seen = seen_keys(call_, query, length);
        pairs += static_cast<double>(seen.end - seen.first);
      }
    }
    return pairs * static_cast<double>(call_.heads * (have_same_length ? call_.batch : 1)) *
           static_cast<double>(call_.form.width + call_.form.value_width);
  }

  // All rows, or the first, the last and as many random ones as take about a second.
  std::vector<std::int64_t> rows_to_check(Verify verify, std::uint64_t seed) const {
    const std::int64_t rows = call_.batch * call_.heads * call_.queries;
    const double of_row = static_cast<double>(call_.keys) *
                          static_cast<double>(call_.form.width + call_.form.value_width);
    const auto max_rows = static_cast<std::int64_t>(kWork / std::max(of_row, 1.0) / 4);
    std::vector<std::int64_t> out;
    if (verify == Verify::full || rows <= max_rows + 2) {
      for (std::int64_t row = 0; row < rows; ++row) out.push_back(row);
      return out;
    }
    out = {0, rows - 1};
    for (std::int64_t i = 0; i < max_rows; ++i) {
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
    RunPlan chosen = plan(caps);
    return std::move(chosen.steps[chosen.main]);
  }
  RunPlan plan(const DeviceCaps& caps) const override {
    refuse_options();
    return plan_over_arrays(gen::attention_plan(*choose(caps).entry, request_for(caps)));
  }
  std::optional<RunPlan> plan_chosen_on(Executor& executor) const override {
    refuse_options();
    std::optional<RunPlan> plan;
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
  return make_attention(spec, read_attention(spec.values, spec.type), size, query_type(spec.type));
}

// Files: q, k and v, then lengths, mask, slopes and sinks if their options are given.
std::unique_ptr<Workload> attention_of_arrays(const WorkloadSpec& spec,
                                              const std::vector<GivenArray>& given) {
  AttentionOptions options = read_attention(spec.values, spec.type);
  std::vector<std::string> reasons;
  for (const auto& [name, value] : spec.values) {
    if (follows_from_arrays(name))
      reasons.push_back(fmt::format("--{} follows from the arrays", name));
  }
  if (!reasons.empty()) throw ArgumentError(join(reasons, "; "));
  const Extents size = take_arrays(spec, given, options);
  const ScalarType type = spec.type.empty() ? given[0].type : query_type(spec.type);
  return make_attention(spec, options, size, type);
}

}  // namespace

Operation attentions() {
  Operation operation;
  operation.name = "attention";
  operation.size = {.text = "QUERIESxKEYSxWIDTH",
                    .rank = 3,
                    .example = {1024, 1024, 64},
                    .extents_of_one_number = 2};
  for (const auto& field : attention_fields()) {
    OperationOption& option = operation.options.emplace_back();
    option.name = field.name;
    option.help = field.help;
    option.of_apply = !follows_from_arrays(field.name);
    option.is_flag = is_attention_flag(field.name);
    if (field.expects.starts_with("a whole number")) option.expects = field.expects;
  }
  operation.baselines = {"copy"};
  operation.of_size = attention_of_size;
  operation.of_arrays = attention_of_arrays;
  operation.takes_fortran_order = [](const GivenArray&, std::size_t) { return false; };
  operation.suite_sizes = [](bool cpu, bool quick) -> std::vector<Extents> {
    if (cpu) return {{64, 64, 64}, {33, 129, 64}};
    if (quick) return {{4096, 4096, 64}};
    return {{4096, 4096, 64}, {4096, 4096, 128}, {1, 4096, 128}};
  };
  return operation;
}

}  // namespace vkmoye::bench
