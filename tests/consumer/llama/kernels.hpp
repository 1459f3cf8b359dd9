// SPDX-License-Identifier: MIT
#pragma once
// The kernels of a decoder that vkmoye does not ship, in its language of kernels. The elements of a token are
// contiguous in arrays of activations; the cache of keys and values has rows of kv_heads * head elements, one for each
// position.

#include <cstdint>
#include <optional>
#include <vkmoye/vkmoye.hpp>

#include "gguf.hpp"
#include "norms.hpp"

namespace llama {

using vkmoye::ScalarType;
namespace gen = vkmoye::gen;

/// x(d, token) = table(d, tokens(token) - first) in f32. A token outside the table gives zeros; with `first`, of a part
/// of a larger table, it leaves x as it is. Arrays table, tokens, x; arguments width, words, count and blocks, those of
/// a row: of tables that have none, elements.
gen::ir::Kernel embedding(const TensorType& type, std::uint32_t first = 0);

/// y = the last row of x, of f32. Arguments width, count.
gen::ir::Kernel last_row();

/// Exponent of two by which `gated` is smaller than what it stands for, so that it may be beyond the range of f16; the
/// product that reads it multiplies its sums.
constexpr int kGatedExponent = 5;

/// gated = silu(gate / rms(x)) * (up / rms(x)) / 2^kGatedExponent, where gate and up are f32, the sums of a product
/// with h (norms.hpp). Arrays gate, up, x, scale, next_scale, gated; arguments hidden, width. If gate and up are
/// `together`, one array gate_up in place of both: that of gate, then that of up.
gen::ir::Kernel gated(ScalarType activations, const Norm& norm, bool together);

/// What becomes of heads before they are rotated, in this order.
struct Heads {
  bool are_sums =
      false;  // f32, the sums of a product of one token with h: they are divided by scale * rms(x)
  bool are_together =
      false;  // sums of q, k and v in one array qkv, in this order, in place of three
  bool have_biases = false;
  bool have_norms = false;  // of q and k, by head
};

/// Rotates the heads of q and k by the positions of their rows, as rope/rows: q to `rotated`, and k, with v as it is,
/// to the rows positions(token) of the caches, in the caches' type. Positions outside are skipped. There are at least
/// as many heads of q as of k. Arrays q, k, v, or qkv in place of them; positions, frequencies; of sums x, scale,
/// next_scale; bias_q, bias_k, bias_v; norm_q, norm_k; rotated, cache_k, cache_v. Arguments pairs, heads, kv_heads,
/// count, places; of sums width; of qkv all_heads, which is heads + 2 * kv_heads.
gen::ir::Kernel rotate_and_append(ScalarType activations, ScalarType cache, const Norm& norm,
                                  const Heads& are);

}  // namespace llama
