#pragma once
// How to copy one strided tensor to another: what the layouts of both say, before any kernel.
//
//   src (8,64,64):(4096,1,64) -> dst (8,64,64):(1,512,8), f32        in NumPy: a.transpose(0, 2, 1), ..
//     modes    8: 4096 | 1     64: 64 | 8     64: 1 | 512            extent: stride in src | in dst
//     src runs along the last, dst along the first: a tile over both goes through shared memory
//
// Modes that follow each other in both tensors are one; what is left are the modes that change
// places. Where both tensors run along the same mode far enough, elements go straight across.

#include <cstdint>
#include <string>
#include <vector>

#include "vkmoye/contract/scalar_type.hpp"
#include "vkmoye/layout/layout.hpp"

namespace vkmoye::gen {

/// A mode of both tensors.
struct JointMode {
  std::int64_t extent = 1;
  std::int64_t src = 1, dst = 1;  // strides, elements
  bool operator==(const JointMode&) const = default;
};

/// The fewest modes that describe both layouts, by rising stride in dst; none of extent 1, one at
/// least. Precondition: `reasons_against_relayout` is empty.
std::vector<JointMode> joint_modes(const Layout& src, const Layout& dst);

/// Why src cannot be copied to dst: sizes of modes that differ or have no common refinement, a dst
/// that overlaps itself, more than 2^32 elements. Empty: it can.
std::vector<std::string> reasons_against_relayout(const Layout& src, const Layout& dst);

/// Both tensors of b = a.transpose(permutation) in NumPy, a and b in C's order: src is a, seen
/// through the coordinates of b. An empty permutation reverses the axes, as NumPy's.
struct Permutation {
  Layout src, dst;
};

/// Throws LayoutError unless `permutation` names each axis of `shape` once, all extents are at least
/// 1, and their product fits 64 bits.
Permutation permuted(const std::vector<std::int64_t>& shape,
                     const std::vector<std::int64_t>& permutation);

/// Where a workgroup's tile lies beside that of the workgroup before it: further along a run of dst,
/// of src, or of either in turn, in blocks of tiles.
enum class Walk : std::uint8_t { dst, src, both };

struct RelayoutConfig {
  ScalarType type = ScalarType::f32;
  std::int64_t threads = 256;  // of a workgroup, at most
  std::int64_t vector = 16;    // bytes of an access, at most
  std::int64_t run = 0;        // elements of a tile along src and along dst; 0: by type
  std::int64_t rounds = 4;     // accesses in flight where elements go straight across
  Walk walk = Walk::dst;       // of workgroups over tiles
};

/// Coordinates 0, step, .. (extent - 1) * step along one mode.
struct Part {
  std::size_t mode = 0;
  std::int64_t extent = 1, step = 1;
};

/// The coordinates of a tile, shared out: threads times values.
struct Shares {
  std::vector<Part> threads, values;  // the first varies fastest
};

struct RelayoutPlan {
  std::vector<JointMode> modes;
  std::int64_t threads = 256;

  // Straight across: element number p, counted along `order`, is moved by thread p / vector.
  bool straight = true;
  std::vector<std::size_t> order;  // of the modes, fastest first
  std::int64_t vector = 1;         // elements of an access, on both sides
  std::int64_t rounds = 1;         // accesses of a thread

  // Through shared memory: tiles of powers of two, cut into loads and stores.
  std::vector<std::int64_t> tile;  // extent along each mode
  std::vector<Part> walk;          // tiles along each mode, in the order of workgroups
  Shares load, store;
  std::int64_t load_vector = 1, store_vector = 1;  // elements of an access
  std::int64_t packed = 1;                         // elements of a shared word
  std::vector<std::int64_t> shared;                // stride of each mode in shared memory, elements
  std::size_t word_mode = 0;  // the mode of which `packed` elements are one word
  std::int64_t shared_elements = 0;
  std::int64_t padding = 0;  // words after each run along src

  /// Where coordinate `at` along `mode` lies in shared memory.
  std::int64_t shared_offset(std::size_t mode, std::int64_t at) const;
};

/// Precondition: `reasons_against_relayout(src, dst)` is empty, threads and run are powers of two.
RelayoutPlan plan_relayout(const Layout& src, const Layout& dst, const RelayoutConfig& config);

}  // namespace vkmoye::gen
