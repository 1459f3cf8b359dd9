// SPDX-License-Identifier: MIT
#pragma once
// The kernels of a decoder that vkmoye does not ship, in its language of kernels. Arrays of activations are f32, with
// the elements of a token contiguous; the cache of keys and values has rows of kv_heads * head elements, one for each
// position.

#include <vkmoye/vkmoye.hpp>

#include "gguf.hpp"

namespace llama {

using vkmoye::ScalarType;
namespace gen = vkmoye::gen;

/// x(d, token) = table(d, tokens(token)), of any type that GGUF files have here; a token outside the table gives zeros.
/// Arrays table, tokens, x; arguments width, words, count, and for a table in blocks blocks.
gen::ir::Kernel embedding(const TensorType& type);

/// y = x, with the neighbours 2 i and 2 i + 1 of each head rotated by positions(token) * frequencies(i).
/// Arrays x, positions, frequencies, y; arguments heads, count.
gen::ir::Kernel rotation(std::uint32_t head);

/// Rows of k and v become the rows positions(token) of the caches, in the caches' type. Positions outside are skipped.
/// Arrays k, v, positions, cache_k, cache_v; arguments width, count, places.
gen::ir::Kernel append(ScalarType cache);

/// y = attention of each row of q over the rows 0 .. positions(token) of the caches. `group` heads share one of the
/// caches. Arrays q, cache_k, cache_v, positions, y; arguments heads, count, places, and for groups kv_heads.
gen::ir::Kernel attention(std::uint32_t head, std::uint32_t group, ScalarType cache,
                          std::uint32_t lanes);

}  // namespace llama
