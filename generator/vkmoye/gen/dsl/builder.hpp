#pragma once
// Records a kernel: declares arrays, moves values, and hands out the finished, verified IR.
//
//   Builder k("copy/simple", 256);
//   Tensor src = k.input("src", ScalarType::f32, {{"col", "cols"}, {"row", "rows"}});
//   Tensor dst = k.output("dst", ScalarType::f32, {{"col", "cols"}, {"row", "rows"}});
//   View from = tile(src, {32, 32}, {k.block_x(), k.block_y()});     // (32, 32)
//   View to   = tile(dst, {32, 32}, {k.block_x(), k.block_y()});     // (32, 32)
//   k.copy(parallelize(from, {{32, 8}}, k.thread()), parallelize(to, {{32, 8}}, k.thread()));
//   ir::Kernel kernel = k.finish();
//
// Names in the generated text come from the names given here, never from counters.

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "vkmoye/gen/dsl/move.hpp"
#include "vkmoye/gen/dsl/view.hpp"
#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen {

/// Truth values that must all hold; none: always.
using Conditions = std::vector<Expr>;

class Builder {
 public:
  /// `threads`: threads of a workgroup, 1-D.
  Builder(std::string name, std::uint32_t threads);

  /// The two lines at the top of the generated text.
  void describe(std::vector<std::pair<std::string, std::string>> config, std::string why);

  /// An axis of a buffer: what a coordinate along it is called, and its extent.
  struct AxisName {
    std::string coordinate;
    Extent extent;
  };
  Tensor input(const std::string& name, ScalarType type, const std::vector<AxisName>& axes);
  Tensor output(const std::string& name, ScalarType type, const std::vector<AxisName>& axes);

  /// A shared array of exactly cosize(layout) elements, seen through `layout`.
  /// Throws LayoutError if two coordinates share an address, naming them.
  View shared(const std::string& name, ScalarType type, const Layout& layout);

  /// Tile coordinates of this workgroup. The grid follows from the tiles that are taken at them:
  /// ceil(extent / tile) workgroups.
  Expr block_x() const;
  Expr block_y() const;
  Expr thread() const;  // 0 .. threads-1

  /// to(v) = from(v) for each value v; a value outside its buffer is skipped.
  /// `vector`: elements moved at once, up to 16 bytes; see copy_statements.
  /// Throws LayoutError unless both views have the same shape, whose first leaf `vector` divides.
  void copy(const View& from, const View& to, std::uint32_t vector = 1);

  /// The same without a loop and in the widest accesses that the layouts prove, see move.hpp.
  /// Throws LayoutError unless the modes of both views have the same sizes, with at most kMostMoved
  /// values, and their arrays one type.
  void move(const View& from, const View& to, const MoveOptions& options = {});

  /// What must hold so that no value of `view`, a tile of a buffer, hangs over an edge.
  Conditions inside(const View& view) const;
  /// What must hold so that rows of the buffer begin at multiples of `elements`.
  Conditions aligned(const View& view, std::uint32_t elements) const;

  /// Records what `body` does where all conditions hold, and what `otherwise` does where not.
  void branch(const Conditions& conditions, const std::function<void()>& body,
              const std::function<void()>& otherwise);

  /// All threads wait; what they wrote to shared memory is then visible to each of them.
  void barrier();

  /// The kernel, verified. Throws KernelError with every reason: those of ir::verify, and tiles
  /// taken at one block coordinate that ask for different grids.
  ir::Kernel finish();

 private:
  Tensor buffer(const std::string& name, ScalarType type, Access access,
                const std::vector<AxisName>& axes);
  const ir::Array& array(const View& view) const;
  void take_grid_from(const View& view);

  ir::Kernel kernel_;
  std::array<bool, 2> has_grid_ = {};  // along x, y
  std::vector<std::string> reasons_;   // what finish() will say beside the verifier
};

}  // namespace vkmoye::gen
