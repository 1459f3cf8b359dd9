// SPDX-License-Identifier: MIT
#pragma once
// Kernels to be attacked: 64 threads, `src` and `dst` of n elements, an element of dst for each invocation.

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/twin/run_on_host.hpp"
#include "vkmoye/gen/verify/verify.hpp"

namespace vkmoye::gen::attack {

using namespace ir;

inline const Expr thread = builtin(Builtin::thread, 64);
inline const Expr group = builtin(Builtin::group_x);
inline const Expr own = 64 * group + thread;  // the element of an invocation
inline const Expr n = variable("n"), m = variable("m"), p = variable("p"), q = variable("q");
inline const Expr one = number(ScalarType::f32, 1);
inline const Expr r = variable("r"), j = variable("j");

inline Element shared_at(const Expr& index, const std::string& partition = "shared") {
  return {"s", {index}, partition};
}
inline Element register_at(const Expr& index) { return {"held", {index}}; }
inline Element dst_at(const Expr& index, const std::string& partition = "dst") {
  return {"dst", {index}, partition};
}
inline Element src_at(const Expr& index) { return {"src", {index}}; }
inline Stmt store(const Element& to, const Expr& value = one) { return Store{to, value}; }

/// 64 threads of 32 lanes; src (u32) and dst of n elements, s of 64 shared, held of 2 registers.
inline Kernel kernel_of(Body body) {
  Kernel kernel;
  kernel.name = "attack";
  kernel.threads = 64;
  kernel.subgroup_size = 32;
  kernel.arguments = {"n", "m", "p", "q"};
  kernel.grid[0] = {"n", 64};
  kernel.arrays = {
      {"src", ScalarType::u32, Array::Space::buffer, Access::read, {{"i", "n", 1}}, ""},
      {"dst", ScalarType::f32, Array::Space::buffer, Access::write, {{"i", "n", 1}}, ""},
      {"s", ScalarType::f32, Array::Space::shared, Access::read_write, {{"at", 64, 1}}, "64:1"},
      {"held", ScalarType::f32, Array::Space::registers, Access::read_write, {{"at", 2, 1}}, "2:1"},
  };
  kernel.body = std::move(body);
  return kernel;
}

/// The same, and after `body` each invocation stores 1 to its element of dst.
inline Kernel with_result(Body body) {
  body.push_back(If{less(own, n), {store(dst_at(own, "result"))}});
  return kernel_of(std::move(body));
}

/// Matrix `number_of_matrix` of 2, by its registers that of the first one, is filled with `value`.
inline Kernel with_matrix(const Expr& number_of_matrix, const Expr& value) {
  Kernel kernel = with_result({});
  kernel.arrays.push_back({"sums",
                           ScalarType::f32,
                           Array::Space::registers,
                           Access::read_write,
                           {{"at", 16, 1}},
                           "16:1",
                           MatrixType{MatrixType::Use::accumulator, 16, 16}});
  MatrixPart part{"sums", number_of_matrix, {}};
  for (std::uint32_t i = 0; i < 8; ++i) part.elements.push_back({"sums", {i}});
  kernel.body.insert(kernel.body.begin(), MatrixFill{part, value});
  return kernel;
}

struct Launched {
  std::vector<std::string> reasons;             // that the twin gives
  std::vector<std::vector<std::byte>> buffers;  // afterwards, in order
  std::vector<float> floats(std::size_t buffer) const {
    std::vector<float> out(buffers.at(buffer).size() / sizeof(float));
    std::memcpy(out.data(), buffers[buffer].data(), buffers[buffer].size());
    return out;
  }
};

/// Runs `kernel` on the host; the words of a buffer that is read are `word`, `word` + `step` and so on.
inline Launched launched(const Kernel& kernel, const Arguments& arguments, std::uint32_t word = 0,
                         std::uint32_t step = 0) {
  Launched out;
  std::vector<HostArray> spans;
  for (const Binding& binding : interface_of(kernel).bindings) {
    const std::size_t bytes = element_count(binding, arguments) * size_of(binding.type);
    out.buffers.emplace_back(bytes);
    for (std::size_t at = 0; at + sizeof word <= bytes; at += sizeof word) {
      const auto value = static_cast<std::uint32_t>(word + at / sizeof word * step);
      std::memcpy(&out.buffers.back()[at], &value, sizeof value);
    }
  }
  for (auto& buffer : out.buffers) spans.emplace_back(buffer);
  out.reasons = run_on_host(kernel, spans, arguments).reasons;
  return out;
}

/// Arguments of a launch of kernel_of.
inline Arguments sizes(std::int64_t n, std::int64_t m = 1, std::int64_t p = 0, std::int64_t q = 0) {
  return {{"n", n}, {"m", m}, {"p", p}, {"q", q}};
}

/// The twin finds a fault at `at`, where src has the words `word`, `word` + `step` ..; the verifier gives a reason.
/// `line` is the caller's, for the message. (clang 14 has no std::source_location.)
inline void expect_refused(const Kernel& kernel, const Arguments& at, std::uint32_t word = 0,
                           std::uint32_t step = 0, int line = __builtin_LINE()) {
  SCOPED_TRACE(line);
  EXPECT_FALSE(launched(kernel, at, word, step).reasons.empty());
  EXPECT_FALSE(verify(kernel).empty());
}
/// Neither of them.
inline void expect_accepted(const Kernel& kernel, const Arguments& at, std::uint32_t word = 0,
                            int line = __builtin_LINE()) {
  SCOPED_TRACE(line);
  EXPECT_EQ(launched(kernel, at, word).reasons, std::vector<std::string>());
  EXPECT_EQ(verify(kernel), std::vector<std::string>());
}

/// 1 to element `at` of dst, where it is inside.
inline Body put(const Expr& at) { return {If{less(at, n), {store(dst_at(at))}}}; }

}  // namespace vkmoye::gen::attack
