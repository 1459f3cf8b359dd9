// SPDX-License-Identifier: MIT
#pragma once
// The kernels of a decoder that vkmoye does not ship, in its language of kernels. The elements of a token are
// contiguous in arrays of activations; the cache of keys and values has rows of kv_heads * head elements, one for each
// position.

#include <cstdint>
#include <optional>
#include <vkmoye/vkmoye.hpp>

namespace llama {

using vkmoye::ScalarType;
namespace gen = vkmoye::gen;

/// x(d, token) = table(d, tokens(token)), of a table in blocks; a token outside it gives zeros. Arrays table, tokens,
/// x; arguments width, words, count and blocks, those of a row. For other tables there is embed/rows.
gen::ir::Kernel embedding(const gen::WeightFormat& format, ScalarType activations);

/// How a kernel computes the RMS norm of the row x, to which a product was applied that is linear: its results are
/// those of the norm's weights times x, and are multiplied by 1 / rms(x) afterwards.
struct NormOfRow {
  double epsilon;
  std::uint32_t lanes;  // of a subgroup on the device
};

/// y = the last row of x. Arguments width, count.
gen::ir::Kernel last_row(ScalarType type);

/// y = x * weight, element by element. Argument width.
gen::ir::Kernel weighted(ScalarType activations);

/// gated = silu(gate / rms(x)) * (up / rms(x)), where gate and up are f32. Arrays gate, up, x, gated; arguments hidden,
/// width.
gen::ir::Kernel gated(ScalarType activations, const NormOfRow& norm);

/// Rotates the heads of q and k by the positions of their rows, as rope/rows: q to `rotated`, and k, with v as it is,
/// to the rows positions(token) of the caches, in the caches' type. Positions outside are skipped. There are at least
/// as many heads of q as of k. Arrays q, k, v, positions, frequencies, rotated, cache_k, cache_v; arguments pairs,
/// heads, kv_heads, count, places. With `norm`, q, k and v are f32 of one token and divided by rms(x): there is also an
/// array x before `rotated`, and the argument width.
gen::ir::Kernel rotate_and_append(ScalarType activations, ScalarType cache,
                                  const std::optional<NormOfRow>& norm = {});

}  // namespace llama
