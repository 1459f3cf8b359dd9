#pragma once
// One move between two views without a loop: all loads, then all stores, each as wide as the
// layouts prove. Where the two sides run along different modes, the elements change places in
// registers between.
//
//   a thread's values (8,2): src runs along mode 0, the shared tile along mode 1 first
//     loads   2 vectors of 8 f16      one row each
//     stores  4 vectors of 4 f16      two columns each, (row 0, row 1) (row 0, row 1)

#include "vkmoye/gen/dsl/view.hpp"
#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen {

/// Values of a thread in one move, at most: what is unrolled lies in registers.
inline constexpr std::int64_t kMostMoved = 256;

/// How a move treats the edges of buffers.
enum class Edges : std::uint8_t {
  inside,   // nothing hangs over: the author has asked `Builder::inside`
  clamped,  // element by element: loads outside take the last element inside, stores are skipped
};

struct MoveOptions {
  Edges edges = Edges::inside;
  std::uint32_t from_bytes = 16, to_bytes = 16;  // the widest access on each side
};

/// to(v) = from(v) for each value v.
/// Precondition: the modes of `from` and `to` have the same sizes, with at most kMostMoved values, and look at
/// `from_array` and `to_array`, of one type.
ir::Block move_statements(const View& from, const ir::Array& from_array, const View& to,
                          const ir::Array& to_array, const MoveOptions& options);

}  // namespace vkmoye::gen
