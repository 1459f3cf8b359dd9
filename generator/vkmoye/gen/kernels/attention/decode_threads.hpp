// SPDX-License-Identifier: MIT
#pragma once
// How the threads of attention_decode divide a tile of keys.
//
//   128 threads, width 64 of f16, 16 reads     8 threads read a key, 16 keys at once, 16 rounds: a tile of 256 keys
//   width 72: 9 parts of 8 elements            4 threads read a key, as if it had 12 parts; the last 3 are zeros

#include "vkmoye/gen/kernels/attention/decode.hpp"
#include "vkmoye/gen/kernels/attention/parts/key_rows.hpp"

namespace vkmoye::gen {

/// How the threads of a workgroup divide keys and their elements.
struct DecodeThreads {
  KeyRows k, v;
  std::int64_t threads_per_key;
  std::int64_t keys;    // at once
  std::int64_t rounds;  // of keys in a tile

  std::int64_t tile() const { return keys * rounds; }
};

DecodeThreads decode_threads(const AttentionDecodeConfig& config, const AttentionForm& form,
                             ScalarType type);

}  // namespace vkmoye::gen
