// SPDX-License-Identifier: MIT
#pragma once
// A small kernel to be made wrong: 8 threads, two buffers of n elements, a shared array of 8.

#include <string>
#include <utility>

#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen::verifying {

using namespace ir;

inline const Expr thread = builtin(Builtin::thread, 8);
inline const Expr n = variable("n");

// 8 threads, a buffer of n elements, a shared array of 8.
inline Kernel kernel_of(Body body) {
  Kernel kernel;
  kernel.name = "test";
  kernel.threads = 8;
  kernel.arguments = {"n"};
  kernel.arrays = {
      {"dst", ScalarType::f32, Array::Space::buffer, Access::read_write, {{"i", "n", 1}}, ""},
      {"src", ScalarType::f32, Array::Space::buffer, Access::read, {{"i", "n", 1}}, ""},
      {"tile", ScalarType::f32, Array::Space::shared, Access::read_write, {{"at", 8, 1}}, "8:1"},
  };
  kernel.body = std::move(body);
  return kernel;
}

inline Element tile_at(Expr index, std::string partition) { return {"tile", {index}, partition}; }
inline Expr value(const char* name = "x") { return variable(name, element(ScalarType::f32)); }

// Each thread loads src[thread] into x, guarded, and runs `then`.
inline Body with_x(Body then) {
  Body body = {Load{"x", {"src", {thread}}}};
  body.insert(body.end(), then.begin(), then.end());
  return {If{less(thread, n), body}};
}

}  // namespace vkmoye::gen::verifying
