// SPDX-License-Identifier: MIT
#pragma once
// Records a kernel: declares arrays, moves values, and hands out the finished, verified IR.
//
//   Builder k("copy/simple", 256);
//   Tensor src = k.input("src", ScalarType::f32, {{"col", "cols"}, {"row", "rows"}});
//   Tensor dst = k.output("dst", ScalarType::f32, {{"col", "cols"}, {"row", "rows"}});
//   View from = tile(src, {32, 32}, {k.block_x(), k.block_y()});     // (32, 32)
//   View to   = tile(dst, {32, 32}, {k.block_x(), k.block_y()});     // (32, 32)
//   const Layout threads = make_layout({32, 8});
//   k.copy(parallelize(from, threads, k.thread()), parallelize(to, threads, k.thread()));
//   ir::Kernel kernel = k.finish();
//
// Names in the generated text come from the names given here, never from counters.

#include <concepts>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vkmoye/gen/dsl/bounds.hpp"
#include "vkmoye/gen/dsl/compute.hpp"
#include "vkmoye/gen/dsl/copy.hpp"
#include "vkmoye/gen/dsl/matrices.hpp"
#include "vkmoye/gen/dsl/view.hpp"
#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen {

class Builder {
 public:
  /// `threads`: threads of a workgroup, 1-D. `lanes`: threads of a subgroup, for kernels in which
  /// they work together; thread t is then lane t % lanes of subgroup t / lanes. A device without
  /// subgroups of that size refuses the kernel.
  Builder(std::string name, std::int64_t threads, std::uint32_t lanes = 0);

  /// The two lines at the top of the generated text.
  void describe(std::vector<std::pair<std::string, std::string>> config, std::string why);

  /// How the buffers declared from now on are reached; by descriptors, unless it is said.
  void reach(Reach how) { reach_ = how; }

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
  /// The same with room for `elements` at least, which are touched otherwise, too.
  View shared(const std::string& name, ScalarType type, const ComposedLayout& layout,
              std::int64_t elements);

  /// As many registers of each thread, seen through `layout`; with `vector`, always moved so many
  /// at once, as they came from memory.
  View registers(const std::string& name, ScalarType type, const Layout& layout,
                 std::uint32_t vector = 1);

  /// Registers for the values of `view`, compact. CuTe, MoYe.jl: make_fragment_like.
  View make_fragment_like(const std::string& name, ScalarType type, const View& view,
                          std::uint32_t vector = 1);

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

  /// The same for several pairs of views, which look at one array each side: all loads, then all
  /// stores. Throws KernelError for no pair, or several arrays.
  void copy(const std::vector<std::pair<View, View>>& pairs, const CopyOptions& options);

  /// to(v) = value.
  void fill(const View& to, std::uint32_t value);

  /// c(m, n) += a(m) * b(n), for registers as partition_A, _B and _C shape them; see mma.hpp.
  void gemm(const View& a, const View& b, const View& c);

  /// y(v) = alpha * x(v) + beta * y(v), for registers; without beta, y is not read.
  void axpby(const Expr& alpha, const View& x, const std::optional<Expr>& beta, const View& y);

  /// Statements of `body(i)` for i = 0 .. end-1; `body` is called once, with i as an index.
  /// `unroll`: whether the compiler may repeat them instead. Throws KernelError if moves have loops
  /// or values called `variable`: v0, value.
  void loop(const std::string& variable, const Expr& end,
            const std::function<void(const Expr&)>& body, ir::Unroll unroll = ir::Unroll::free);
  /// The same, repeated by the compiler: i becomes a number, as indices of registers must.
  void unrolled_loop(const std::string& variable, std::uint32_t end,
                     const std::function<void(const Expr&)>& body);

  /// The same registers in the shape of `view`, which has as many values. CuTe: retile.
  View retile(const View& registers, const View& view) const;
  /// The same registers seen through another layout, which keeps within them. CuTe: make_tensor.
  View retile(const View& registers, const Layout& layout) const;

  /// Any statements of the IR.
  void add(ir::Block block);

  // --- computing with the values of a thread, see compute.hpp ---

  /// to(v) = function(from(v)..) for each value v.
  void apply(const View& to, const ElementFunction& function, const std::vector<View>& from);
  /// The same with a function of as many elements as there are views.
  template <class Function, std::same_as<View>... Views>
  void apply(const View& to, const Function& function, const Views&... from) {
    apply(to, [&](const std::vector<Expr>& x) { return applied(function, x, from...); }, {from...});
  }
  /// to(v) = function((from(v)..), coordinates of at(v)) for each value v.
  void apply(const View& to, const View& at, const PlacedFunction& function,
             const std::vector<View>& from);
  /// to(v) = value.
  void assign(const View& to, const Expr& value);
  /// to(v) = combination(to(v), from(w)), w = v where `to` has more than one value along a mode.
  void accumulate(const View& to, Combination combination, const View& from);
  /// The same without another invocation between: several may combine into one element.
  void accumulate_atomically(const View& to, Combination combination, const View& from);

  /// A name for a value, so that it is computed once.
  Expr let(const std::string& name, const Expr& value);
  /// A name for what `view` holds now, a single value that is not outside its buffer.
  Expr load(const std::string& name, const View& view);
  /// A name for what stands at `from`, and a value for what shall stand at `to`: an element or several
  /// at once, at coordinates of the author's own making, which the verifier must find inside. An array
  /// that is not declared: `load` throws KernelError, having to know its type, `store` leaves it to finish().
  Expr load(const std::string& name, const ir::Element& from);
  void store(const Expr& value, const ir::Element& to);
  /// The extent of `tensor` along an axis, an index.
  static Expr extent(const Tensor& tensor, std::size_t axis);
  /// How many elements `tensor` has, an index.
  static Expr element_count(const Tensor& tensor);
  /// Of the elements that `view` looks at.
  ScalarType type_of(const View& view) const { return array(view).type; }

  // --- matrices that subgroups hold together, see matrices.hpp ---

  /// rows x columns matrices. Throws LayoutError, or KernelError without subgroups.
  Matrices matrices(const std::string& name, ScalarType type, const ir::MatrixType& matrix,
                    std::int64_t rows, std::int64_t columns);
  /// What a lane holds of them, as registers: (elements of a matrix, matrices).
  View elements(const Matrices& matrices) const { return elements_of(matrices, lanes()); }
  void load(const View& from, const Matrices& to);
  /// Of the matrices those from number (row, column) on, as many as fill `to`.
  void store(const Matrices& from, const Expr& row, const Expr& column, const View& to);
  void store(const Matrices& from, const Expr& row, const View& to) { store(from, row, 0, to); }
  void fill(const Matrices& to, const Expr& value);
  /// c += a * b.
  void multiply(const Matrices& a, const Matrices& b, const Matrices& c);

  // --- with other threads, see across.hpp ---

  std::uint32_t lanes() const { return kernel_.subgroup; }
  Expr lane() const;      // 0 .. lanes-1
  Expr subgroup() const;  // 0 .. threads/lanes-1

  /// What the lanes of a subgroup find together; all of them must reach it.
  Expr subgroup_reduce(const std::string& name, ir::Op combine, const Expr& value);
  Expr subgroup_inclusive_scan(const std::string& name, ir::Op combine, const Expr& value);
  Expr subgroup_exclusive_scan(const std::string& name, ir::Op combine, const Expr& value);
  Expr subgroup_broadcast(const std::string& name, const Expr& value, const Expr& lane);
  Expr subgroup_shuffle(const std::string& name, const Expr& value, const Expr& lane);
  /// Of lane (this one ^ step).
  Expr subgroup_shuffle_xor(const std::string& name, const Expr& value, const Expr& step);
  Expr subgroup_ballot(const std::string& name, const Expr& condition);  // u32 x4
  Expr subgroup_elect(const std::string& name);                          // a truth value

  /// values(v) = the combination of values(v) of all threads that differ only in mode `mode` of
  /// `threads`; each of them has it. Precondition: `values` are registers.
  /// Throws LayoutError where `threads` does not number the workgroup's threads, or subgroups do
  /// not fall into its modes.
  void reduce_across(const View& values, Combination combination, const Layout& threads, int mode);

  /// The values of `registers`, which the threads hold as `from` says, (thread, value) -> coordinate,
  /// held as `to` says, in the shape of its values: moved between the lanes of each subgroup by
  /// shuffles, see exchange.hpp. They take the place of those before in the same registers.
  /// Throws LayoutError with every reason against it.
  View exchange(const View& registers, const Layout& from, const Layout& to);

  /// How wide accesses to the values of `view` may be, see width.hpp.
  AccessWidth width(const View& view, std::int64_t most_bytes = kWidestCopy) const;

  // What must hold of groups and sizes: see bounds.hpp and, for `fits`, width.hpp.
  Conditions inside(const View& view) const;
  Conditions begins_inside(const View& view) const;
  Conditions aligned(const View& view, std::uint32_t elements) const;
  Conditions fits(const View& view, const Vector& vector, Edges edges = Edges::skip) const;

  /// Records what `body` does where all conditions hold, and what `otherwise` does where not.
  void branch(
      const Conditions& conditions, const std::function<void()>& body,
      const std::function<void()>& otherwise = [] {});

  /// All threads wait; what they wrote to shared memory is then visible to each of them.
  void barrier();

  /// The kernel, verified. Throws KernelError with the reasons of verify, and where tiles taken at
  /// one block coordinate ask for different grids.
  ir::Kernel finish();

 private:
  Tensor buffer(const std::string& name, ScalarType type, Access access,
                const std::vector<AxisName>& axes);
  // The array of that name. Throws KernelError where this kernel declares none.
  const ir::Array& array(const std::string& name, const std::string& looks_at_it) const;
  const ir::Array& array(const View& view) const { return array(view.array, view.name); }
  View array_of(const std::string& name, ScalarType type, const ComposedLayout& layout,
                ir::Array::Space space);
  void take_grid_from(const View& view);
  void add_argument(const PushConstant& argument);
  Operand operand(const View& view) const { return {view, &array(view)}; }
  template <class Function, class... Views>
  static Expr applied(const Function& function, const std::vector<Expr>& x, const Views&...) {
    return [&]<std::size_t... i>(std::index_sequence<i...>) { return Expr(function(x[i]...)); }
    (std::index_sequence_for<Views...>());
  }
  Expr add_subgroup(ir::Subgroup statement);
  void require_lanes(const std::string& operation) const;
  ir::Body recorded(const std::function<void()>& body);

  ir::Kernel kernel_;
  std::array<bool, 3> has_grid_ = {};  // along x, y, z
  Reach reach_ = Reach::descriptor;
  std::vector<std::string> reasons_;  // what finish() will say beside the verifier
};

}  // namespace vkmoye::gen
