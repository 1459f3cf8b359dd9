// SPDX-License-Identifier: MIT
#include "vkmoye/gen/problems/attention/attention_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/numbers/number.hpp"
#include "vkmoye/gen/problems/attention/data.hpp"
#include "vkmoye/gen/problems/attention/given_arrays.hpp"
#include "vkmoye/gen/problems/attention/reference.hpp"
#include "vkmoye/gen/problems/option_fields.hpp"

namespace vkmoye::gen {
namespace {

constexpr double kScoresInASecond = 0x1p28;  // that are checked

std::unique_ptr<Problem> attention_of_arrays(const ProblemText& text,
                                             const std::vector<GivenArray>& given) {
  AttentionOptions options = read_attention(text.values, text.type);
  std::vector<std::string> reasons;
  for (const auto& [name, value] : text.values) {
    if (follows_from_arrays(name))
      reasons.push_back(fmt::format("--{} follows from the arrays", name));
  }
  if (!reasons.empty()) throw ArgumentError(join(reasons, "; "));
  const Extents size = take_arrays(text, given, options);
  return std::make_unique<AttentionProblem>(options, size);
}

}  // namespace

AttentionProblem::AttentionProblem(const AttentionOptions& options, const Extents& extents)
    : call_(attention_of(options, extents)), hard_(options.hard) {
  form = call_;
  type_text = gen::type_text(call_.type, call_.form);
  size = extents;
  command_words = gen::command_words(attention_fields(), options, is_attention_flag);
  for (AttentionArray& array : arrays_of(call_, call_.type)) {
    if (array.is_result) {
      add_result(array.name, array.type, std::move(array.shape));
    } else {
      add_input(array.name, array.type, std::move(array.shape));
    }
  }
  arguments = attention_arguments(call_);
  bytes = bytes_of_arrays();
  flops = 2 * products();
  seconds_to_check = products() / kScoresInASecond;
}

std::vector<std::string> AttentionProblem::reasons_against_contents(
    std::size_t input, const std::vector<std::byte>& contents) const {
  constexpr std::size_t kMaxReasons = 8;
  if (arrays[input].name != "lengths") return {};  // the inputs are the first arrays
  std::vector<std::string> reasons;
  const std::size_t width = size_of(ScalarType::i32);
  for (std::size_t i = 0; i * width < contents.size() && reasons.size() < kMaxReasons; ++i) {
    const double length = load_number(ScalarType::i32, &contents[i * width]);
    if (length >= 0 && length <= static_cast<double>(call_.keys)) continue;
    reasons.push_back(
        fmt::format("length {} is {:.0f}, but there are {} keys", i, length, call_.keys));
  }
  return reasons;
}

void AttentionProblem::fill(ArrayMemory& memory, std::uint64_t seed) const {
  const AttentionData data(call_, call_.type, seed, hard_);
  for (std::size_t i = 0; i < data.inputs().size(); ++i) memory.write(i, data.inputs()[i]);
}

CheckResult AttentionProblem::check(const ArrayMemory& memory, Verify verify,
                                    std::uint64_t seed) const {
  const AttentionForm& of = call_.form;
  const ScalarType type = call_.type;
  const AttentionData data(call_, type, seed, hard_);
  const std::vector<std::byte> values = read_all(memory, result, arrays[result].bytes),
                               log_sums = of.log_sums ? read_all(memory, result - 1,
                                                                 arrays[result - 1].bytes)
                                                      : std::vector<std::byte>();
  const auto d = static_cast<std::size_t>(of.width), e = static_cast<std::size_t>(of.value_width),
             keys = static_cast<std::size_t>(call_.keys);
  std::vector<double> q(d), k(keys * d), v(keys * e), mask(of.mask ? keys : 0);
  std::vector<Expected> row(e);
  std::int64_t loaded = -1;  // head of K and V
  CheckResult checked;
  const double of_row = static_cast<double>(call_.keys) * static_cast<double>(d + e);
  const auto in_a_moment = static_cast<std::int64_t>(kScoresInASecond / std::max(of_row, 1.0) / 4);
  for (const std::int64_t number :
       parts_to_check(call_.batch * call_.heads * call_.queries, in_a_moment, verify, seed)) {
    const std::int64_t query = number % call_.queries, head = number / call_.queries % call_.heads,
                       entry = number / call_.queries / call_.heads;
    const std::int64_t kv_head = head / (call_.heads / call_.kv_heads);
    if (entry * call_.kv_heads + kv_head != loaded) {
      data.load_keys(entry, kv_head, k);
      data.load_values(entry, kv_head, v);
      loaded = entry * call_.kv_heads + kv_head;
    }
    data.load_query(entry, head, query, q);
    AttentionRow of_query = {query, length_of(call_, entry)};
    if (of.slopes) of_query.slope = data.slope(head);
    if (of.sinks) of_query.sink = data.sink(head);
    if (of.mask) {
      data.load_mask(entry, head, query, mask);
      of_query.mask = mask;
    }
    const Expected log_sum =
        define_attention(call_, type, memory.has_matrices(), of_query, q, k, v, row);
    const std::size_t begin =
        begin_of_row(of.orders.o, call_.heads, call_.queries, of.value_width, entry, head, query);
    for (std::size_t i = 0; i < e; ++i) {
      const double got = load_number(type, &values[(begin + i) * size_of(type)]);
      compare(row[i], got, begin + i, "o", checked);
    }
    if (!of.log_sums) continue;
    const auto place = static_cast<std::size_t>(number);
    compare(log_sum, load_number(ScalarType::f32, &log_sums[place * size_of(ScalarType::f32)]),
            place, "log_sums", checked);
  }
  return checked;
}

// Multiply-adds: of each query and key that it sees. What a mask hides counts.
double AttentionProblem::products() const {
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
    option.choices = field.choices;
    if (field.expects.starts_with("a whole number")) option.expects = field.expects;
  }
  operation.of_size = [](const ProblemText& text, const Extents& size) {
    return std::make_unique<AttentionProblem>(read_attention(text.values, text.type), size);
  };
  operation.of_arrays = attention_of_arrays;
  operation.suite_sizes = [](bool cpu, bool quick) -> std::vector<Extents> {
    if (cpu) return {{64, 64, 64}, {33, 129, 64}};
    if (quick) return {{4096, 4096, 64}};
    return {{4096, 4096, 64}, {4096, 4096, 128}, {1, 4096, 128}};
  };
  return operation;
}

}  // namespace vkmoye::gen
