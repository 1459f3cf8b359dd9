// SPDX-License-Identifier: MIT
#pragma once
// Copies and transposes in which each workgroup moves one tile: the ladders of tutorials, whose rungs show what an
// access costs. A rung is a description of few lines; its tile, threads and padding are those of a TileConfig.
//
//   path           a transpose ..
//     shared         through a shared tile: reads of src and writes of dst are both contiguous
//     along_src      without one: neighbouring threads read neighbours of src and write dst a column apart
//     along_dst      without one: they write neighbours of dst and read src a row apart
//
//   block          a thread moves ..             neighbouring threads access
//     none           elements, dealt in turn       neighbouring elements
//     single         elements                      neighbouring elements
//     vector         one vector of 16 bytes        neighbouring vectors
//     split_vector   two vectors of 8 bytes        every second vector: half of each request is wasted
//     loaded         4 elements; 2 of 8 bytes      neighbouring vectors of src, but elements of dst
//     both           the same                      vectors on both sides; reads of the shared tile use only a few banks
//
// In a tile whose rows are padded by one, there are no bank conflicts, but vectors are no longer aligned: only the load
// from src is one. Sizes that are not multiples of a vector take a scalar path in the same shader.
//
// Sources: the tutorials of MoYe.jl for the transpose, with its padding corrected from (1,31) to (1,33), and for the
// tiled copy; AMD's matrix transpose in HIP; the float4 ladder in CUDA, with edge tiles and alignment corrected.

#include <cstdint>
#include <string>

#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/moves/tile_config.hpp"

namespace vkmoye::gen {

/// The way of a tile: the table `path` above.
enum class TilePath : std::uint8_t { shared, along_src, along_dst };

/// What a thread moves: the table `block` above.
enum class TileBlock : std::uint8_t { none, single, vector, split_vector, loaded, both };

/// A rung of a ladder: copy or transpose, its path, its block, and what it shows.
struct TileRung {
  TileMove move;
  TilePath path;
  const char* why;  // the second line of the text
  TileBlock block = TileBlock::none;
};

inline constexpr TileRung kCopyThroughShared = {
    TileMove::copy, TilePath::shared,
    "dst(c, r) = src(c, r): each thread reads back what it wrote itself"};
inline constexpr TileRung kTransposeThroughShared = {
    TileMove::transpose, TilePath::shared,
    "dst(r, c) = src(c, r): reads run along the columns of src, writes along the rows"};

/// The columns of a block.
std::int64_t columns_of(TileBlock block, ScalarType type);

/// src (cols, rows), first mode contiguous. A copy: dst(c, r) = src(c, r), in C order dst[r][c] = src[r][c]; a
/// transpose: dst (rows, cols), dst(r, c) = src(c, r), in C order dst[c][r] = src[r][c]. Rows and columns: at least 1.
/// Without a shared tile, `pad` and `shared` of `config` are ignored. Throws KernelError with every reason from
/// `reasons_against(config, rung.move)`.
ir::Kernel move_tile(const TileConfig& config, const TileRung& rung, const std::string& name);

/// A copy through shared memory.
inline ir::Kernel copy(const TileConfig& config = {}, const std::string& name = "copy") {
  return move_tile(config, kCopyThroughShared, name);
}
/// A transpose through shared memory.
inline ir::Kernel transpose(const TileConfig& config = {}, const std::string& name = "transpose") {
  return move_tile(config, kTransposeThroughShared, name);
}

}  // namespace vkmoye::gen
