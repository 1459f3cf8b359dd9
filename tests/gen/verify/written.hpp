// SPDX-License-Identifier: MIT
#pragma once
// Kernels in which it is decided for all sizes whether what is read was written before. The twin must agree.

#include "gen/verify/attacked.hpp"
#include "support/expect.hpp"
#include "vkmoye/gen/verify/written_before_read.hpp"

namespace vkmoye::gen::attack {

inline Stmt read_shared(const Expr& index) { return Load{"x", shared_at(index, "reader")}; }
inline Stmt read_register(const Expr& index) {
  return Load{"y", {"held", {index}, "register reader"}};
}
inline Stmt write_shared(const Expr& index) { return store(shared_at(index, "writer")); }
inline Stmt write_register(const Expr& index) { return store(register_at(index)); }

/// `body` after `name`, the index that src[`at`] holds, where there is one.
inline Body with_data(const char* name, Body body, const Expr& at = 0) {
  Body all = {Load{"word", src_at(at)},
              Let{name, to_index(variable("word", element(ScalarType::u32)))}};
  append(all, body);
  return {If{less(at, n), std::move(all)}};
}

/// It is shown that what is read from `array` was written, and the twin agrees at `at`.
inline void expect_shown(const char* array, const Body& body, const Arguments& at,
                         std::uint32_t word = 0, int line = __builtin_LINE()) {
  const Kernel kernel = with_result(body);
  EXPECT_THAT(arrays_written_before_read(kernel), Contains(array)) << line;
  expect_accepted(kernel, at, word, line);
}
/// The twin finds a read of what nothing has written at `at`, where src has the words `word`, `word` + `step` ..; the
/// kernel is refused.
inline void expect_not_shown(const char* array, const Body& body, const Arguments& at,
                             std::uint32_t word = 0, std::uint32_t step = 0,
                             int line = __builtin_LINE()) {
  const Kernel kernel = with_result(body);
  EXPECT_THAT(arrays_written_before_read(kernel), Not(Contains(array))) << line;
  expect_refused(kernel, at, word, step, line);
}

}  // namespace vkmoye::gen::attack
