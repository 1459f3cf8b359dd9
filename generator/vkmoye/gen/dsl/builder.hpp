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
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vkmoye/gen/dsl/bounds.hpp"
#include "vkmoye/gen/dsl/copy.hpp"
#include "vkmoye/gen/dsl/view.hpp"
#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen {

class Builder {
 public:
  /// `threads`: threads of a workgroup, 1-D.
  Builder(std::string name, std::uint32_t threads);

  /// The two lines at the top of the generated text.
  void describe(std::vector<std::pair<std::string, std::string>> config, std::string why);

  /// An axis of a buffer: what a coordinate along it is called, its extent, and the elements from
  /// one coordinate to the next; without a stride, the axes up to this one are compact.
  struct AxisName {
    std::string coordinate;
    Extent extent;
    std::optional<Extent> stride = {};
  };
  Tensor input(const std::string& name, ScalarType type, const std::vector<AxisName>& axes);
  Tensor output(const std::string& name, ScalarType type, const std::vector<AxisName>& axes);
  /// Read and written.
  Tensor in_out(const std::string& name, ScalarType type, const std::vector<AxisName>& axes);

  /// A number that the launch provides: of type i32, f32 or f64, or an index if u32.
  Expr argument(const std::string& name, ScalarType type);

  /// A shared array of exactly cosize(layout) elements, seen through `layout`, swizzled or not.
  /// Throws LayoutError if two coordinates share an address, naming them.
  View shared(const std::string& name, ScalarType type, const Layout& layout);
  View shared(const std::string& name, ScalarType type, const ComposedLayout& layout);

  /// As many registers of each thread, seen through `layout`.
  View registers(const std::string& name, ScalarType type, const Layout& layout);

  /// Registers for the values of `view`, compact. CuTe, MoYe.jl: make_fragment_like.
  View make_fragment_like(const std::string& name, ScalarType type, const View& view);

  /// Tile coordinates of this workgroup. The grid follows from the tiles that are taken at them:
  /// ceil(extent / tile) workgroups.
  Expr block_x() const;
  Expr block_y() const;
  Expr block_z() const;
  /// The grid along a dimension (0: block_x) whose coordinate is no tile's by itself; `most`: groups
  /// at most, 0 for as many as there are tiles.
  void grid(std::size_t dimension, const Extent& extent, std::int64_t tile, std::int64_t most = 0);
  Expr thread() const;  // 0 .. threads-1

  /// to(v) = from(v) for each value v, see copy.hpp.
  void copy(const View& from, const View& to, const CopyOptions& options = {});

  /// to(v) = value.
  void fill(const View& to, std::uint32_t value);

  /// c(m, n) += a(m) * b(n), for registers as partition_A, _B and _C shape them; see mma.hpp.
  void gemm(const View& a, const View& b, const View& c);

  /// y(v) = alpha * x(v) + beta * y(v), for registers; without beta, y is not read.
  void axpby(const Expr& alpha, const View& x, const std::optional<Expr>& beta, const View& y);

  /// Statements of `body(i)` for i = 0 .. end-1; `body` is called once, with i as an index.
  void loop(const std::string& variable, const Expr& end,
            const std::function<void(const Expr&)>& body);
  /// The same, repeated by the compiler: i becomes a number, as indices of registers must.
  void unrolled_loop(const std::string& variable, std::uint32_t end,
                     const std::function<void(const Expr&)>& body);

  /// The same registers in the shape of `view`, which has as many values. CuTe: retile.
  View retile(const View& registers, const View& view) const;

  /// Any statements of the IR.
  void add(ir::Block block);

  // What must hold of groups and sizes: see bounds.hpp and, for `fits`, width.hpp.
  Conditions inside(const View& view) const;
  Conditions begins_inside(const View& view) const;
  Conditions aligned(const View& view, std::uint32_t elements) const;
  Conditions fits(const View& view, const Vector& vector, Edges edges = Edges::skip) const;

  /// Records what `body` does where all conditions hold, and what `otherwise` does where not.
  void branch(const Conditions& conditions, const std::function<void()>& body,
              const std::function<void()>& otherwise);

  /// All threads wait; what they wrote to shared memory is then visible to each of them.
  void barrier();

  /// The kernel, verified. Throws KernelError with every reason: those of verify, and tiles
  /// taken at one block coordinate that ask for different grids.
  ir::Kernel finish();

 private:
  Tensor buffer(const std::string& name, ScalarType type, Access access,
                const std::vector<AxisName>& axes);
  const ir::Array& array(const View& view) const;
  View array_of(const std::string& name, ScalarType type, const ComposedLayout& layout,
                ir::Array::Space space);
  void take_grid_from(const View& view);
  void add_argument(const PushConstant& argument);
  ir::Body recorded(const std::function<void()>& body);
  void add_loop(const std::string& variable, const Expr& end, bool unroll,
                const std::function<void(const Expr&)>& body);

  ir::Kernel kernel_;
  std::array<bool, 3> has_grid_ = {};  // along x, y, z
  std::vector<std::string> reasons_;   // what finish() will say beside the verifier
};

}  // namespace vkmoye::gen
