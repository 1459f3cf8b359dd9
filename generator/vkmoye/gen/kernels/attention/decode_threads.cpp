// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/attention/decode_threads.hpp"

#include <algorithm>
#include <numeric>

#include "vkmoye/gen/kernels/common/powers.hpp"
#include "vkmoye/layout/checked.hpp"

namespace vkmoye::gen {

DecodeThreads decode_threads(const AttentionDecodeConfig& config, const AttentionForm& form,
                             ScalarType type) {
  DecodeThreads by;
  const ScalarType of_k = key_type(type, form), of_v = value_type(type, form);
  by.k = key_rows(form.key_format, of_k, form.width, config.key_threads);
  by.v = key_rows(form.value_format, of_v, form.value_width, config.key_threads);
  by.threads_per_key = power_dividing(std::gcd(by.k.parts(), by.v.parts()), config.key_threads);
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
