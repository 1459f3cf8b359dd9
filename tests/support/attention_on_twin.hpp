// SPDX-License-Identifier: MIT
#pragma once
// Attention on the twin: all kernels of a plan, in f32, or in f16 by matrix units in the orders of the twin.
//
//   test::run_attention("attention/decode", call, {{"v", bytes_of_values(v)}}).at("o")   arrays that are not given: 0
//   test::attention_of("attention/coopmat", call, {{"mask", {0, -1e9f}}}).at("o")        numbers, in the arrays' types

#include <map>
#include <span>
#include <string>
#include <vector>

#include "support/expect.hpp"
#include "support/fake_devices.hpp"
#include "support/fragment_orders.hpp"
#include "support/kernel_on_twin.hpp"
#include "vkmoye/gen/kernels/attention/choice/choose.hpp"

namespace vkmoye::test {

template <class T>
Bytes bytes_of_values(const std::vector<T>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

inline Bytes halves(const std::vector<float>& numbers) { return stored(ScalarType::f16, numbers); }

/// Returns o and log_sums, if the form has them.
inline Floats run_attention(const gen::KernelRequest& request, const gen::KernelEntry& entry,
                            const std::map<std::string, Bytes>& given) {
  const gen::KernelPlan plan = gen::attention_plan(entry, request);
  std::vector<Bytes> arrays;
  for (const PlanArray& array : plan.arrays) {
    const auto found = given.find(array.name);
    const bool is_result = array.name == "o" || array.name == "log_sums";
    arrays.push_back(found != given.end() ? found->second
                                          : Bytes(array.bytes, std::byte(is_result ? 0xc0 : 0)));
    EXPECT_EQ(arrays.back().size(), array.bytes) << array.name;
  }
  for (const PlanArray& array : plan.scratch) arrays.emplace_back(array.bytes, std::byte(0xff));
  for (const gen::KernelStep& step : plan.steps) {
    std::vector<gen::HostArray> bound;
    for (const std::size_t array : step.arrays) bound.emplace_back(arrays[array]);
    EXPECT_THAT(gen::run_on_host(step.kernel, bound, step.arguments).reasons, IsEmpty());
  }
  Floats results;
  for (std::size_t i = 0; i < plan.arrays.size(); ++i) {
    const std::string& name = plan.arrays[i].name;
    if (name != "o" && name != "log_sums") continue;
    const ScalarType type = name == "o" ? type_of(request.form) : ScalarType::f32;
    results[name] = numbers_in(type, arrays[i]);
  }
  return results;
}

/// In f32.
inline Floats run_attention(const std::string& kernel, const gen::AttentionCall& call,
                            const std::map<std::string, Bytes>& given,
                            const gen::Options& options = {}) {
  return run_attention(gen::request_of(call, ScalarType::f32, common_device(), options),
                       *gen::find_kernel(kernel), given);
}

/// In f16.
inline Floats run_on_matrix_units(const gen::AttentionCall& call,
                                  const std::map<std::string, Bytes>& given,
                                  const gen::Options& options = {}) {
  const gen::KernelEntry& entry = *gen::find_kernel("attention/coopmat");
  gen::KernelRequest request = gen::request_of(call, ScalarType::f16, h200_like(), options);
  for (const gen::ProbedMatrix& matrix : entry.probes(request)) {
    request.device.fragment_orders.push_back(order_of_twin(matrix));
  }
  return run_attention(request, entry, given);
}

/// The same with numbers: in f32, and in f16 by attention/coopmat.
inline Floats attention_of(const std::string& kernel, const gen::AttentionCall& call,
                           const Floats& given, const gen::Options& options = {}) {
  const bool has_matrices = kernel == "attention/coopmat";
  std::map<std::string, Bytes> bytes;
  for (const gen::AttentionArray& array :
       gen::arrays_of(call, has_matrices ? ScalarType::f16 : ScalarType::f32)) {
    const auto found = given.find(array.name);
    if (found != given.end()) bytes[array.name] = stored(array.type, found->second);
  }
  return has_matrices ? run_on_matrix_units(call, bytes, options)
                      : run_attention(kernel, call, bytes, options);
}

/// Rows of 32 elements, each the number of its row; and their first elements.
inline std::vector<float> rows_of_numbers(const std::vector<float>& numbers) {
  std::vector<float> out;
  for (const float number : numbers) out.insert(out.end(), 32, number);
  return out;
}
inline std::vector<float> of_rows(const std::vector<float>& values) {
  std::vector<float> out;
  for (std::size_t i = 0; i < values.size(); i += 32) out.push_back(values[i]);
  return out;
}

}  // namespace vkmoye::test
