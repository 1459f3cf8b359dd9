// SPDX-License-Identifier: MIT
#pragma once
// The kernels of a decoder that vkmoye does not ship, in its language of kernels. The elements of a token are
// contiguous in arrays of activations; the cache of keys and values has rows of kv_heads * head elements, one for each
// position.

#include <cstdint>
#include <vkmoye/vkmoye.hpp>

namespace llama {

using vkmoye::ScalarType;
namespace gen = vkmoye::gen;

/// x(d, token) = table(d, tokens(token)), of a table in blocks; a token outside it gives zeros. Arrays table, tokens,
/// x; arguments width, words, count and blocks, those of a row. For other tables there is embed/rows.
gen::ir::Kernel embedding(const gen::WeightFormat& format, ScalarType activations);

/// Rotates the heads of q and k by the positions of their rows, as rope/rows: q to `rotated`, and k, with v as it is,
/// to the rows positions(token) of the caches, in the caches' type. Positions outside are skipped. There are at least
/// as many heads of q as of k. Arrays q, k, v, positions, frequencies, rotated, cache_k, cache_v; arguments pairs,
/// heads, kv_heads, count, places.
gen::ir::Kernel rotate_and_append(ScalarType activations, ScalarType cache);

}  // namespace llama
