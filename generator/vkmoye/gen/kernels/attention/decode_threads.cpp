// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/attention/decode_threads.hpp"

#include <algorithm>

#include "vkmoye/base/round_up.hpp"
#include "vkmoye/gen/kernels/common/powers.hpp"
#include "vkmoye/layout/checked.hpp"

namespace vkmoye::gen {
namespace {

// `rows` with as many parts as `threads` threads divide evenly. Rows of blocks have no others.
KeyRows divided_by(const KeyRows& rows, std::int64_t threads) {
  KeyRows out = rows;
  if (rows.format == nullptr) out.width = round_up(rows.width, rows.vector * threads);
  return out;
}

// Whether `threads` threads divide `rows`, and at least three quarters of their reads are parts: more threads of a key
// read it in larger pieces, but not if many of them read nothing.
bool divide(const KeyRows& rows, std::int64_t threads) {
  const std::int64_t parts = divided_by(rows, threads).parts();
  return parts % threads == 0 && 3 * parts <= 4 * rows.parts();
}

}  // namespace

DecodeThreads decode_threads(const AttentionDecodeConfig& config, const AttentionForm& form,
                             ScalarType type) {
  DecodeThreads by;
  const ScalarType of_k = key_type(type, form), of_v = value_type(type, form);
  by.k = key_rows(form.key_format, of_k, form.width, config.key_threads);
  by.v = key_rows(form.value_format, of_v, form.value_width, config.key_threads);
  by.threads_per_key = config.key_threads;
  while (!divide(by.k, by.threads_per_key) || !divide(by.v, by.threads_per_key)) {
    by.threads_per_key /= 2;
  }
  by.k = divided_by(by.k, by.threads_per_key);
  by.v = divided_by(by.v, by.threads_per_key);
  by.keys = config.threads / by.threads_per_key;
  // An access has 16 bytes, 4 registers.
  const auto accesses = [&](const KeyRows& rows, ScalarType of) {
    return ceil_div(rows.registers(bytes_of(of)), 4) * rows.parts() / by.threads_per_key;
  };
  by.rounds = std::max<std::int64_t>(
      1,
      next_power_of_two(config.reads / std::max(accesses(by.k, of_k), accesses(by.v, of_v)) + 1) /
          2);
  return by;
}

}  // namespace vkmoye::gen
