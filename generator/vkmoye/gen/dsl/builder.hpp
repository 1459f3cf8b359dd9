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
//
// across.cpp, assume.cpp, codes.cpp, compute.cpp, exchange.cpp and finish.cpp define the members that they are named
// for; compute.cpp also let, load, store and extents; builder.cpp the rest.

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vkmoye/gen/dsl/bounds.hpp"
#include "vkmoye/gen/dsl/codes.hpp"
#include "vkmoye/gen/dsl/compute.hpp"
#include "vkmoye/gen/dsl/copy.hpp"
#include "vkmoye/gen/dsl/matrices.hpp"
#include "vkmoye/gen/dsl/view.hpp"
#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen {

/// The names of the workgroup's coordinates in the generated text.
inline constexpr std::array<const char*, 3> kBlockNames = {"block_x", "block_y", "block_z"};

class Builder {
 public:
  /// `threads`: the size of a workgroup, 1-D. `lanes`: the size of a subgroup, for kernels with
  /// subgroup operations; thread t is then lane t % lanes of subgroup t / lanes. Such a kernel does
  /// not run on a device without subgroups of that size.
  Builder(std::string name, std::int64_t threads, std::uint32_t lanes = 0);

  /// Sets the two comment lines at the top of the generated text.
  void header(std::vector<std::pair<std::string, std::string>> config, std::string why);

  /// Declares that `threads` threads share each sum; see ir::Kernel::summing_threads.
  void share_sums(std::int64_t threads) {
    kernel_.summing_threads = static_cast<std::size_t>(threads);
  }

  /// Sets how the kernel reaches the buffers declared after this call. The default is descriptors.
  void use_addressing(Addressing addressing) { addressing_ = addressing; }

  /// An axis of a buffer: the name of its coordinate, its extent, and its stride in elements. Without
  /// a stride, the axes up to this one are compact.
  struct AxisSpec {
    std::string coordinate;
    Extent extent;
    std::optional<Extent> stride = {};
  };
  /// Declares a buffer that the kernel reads, or one that it writes.
  Tensor input(const std::string& name, ScalarType type, const std::vector<AxisSpec>& axes);
  Tensor output(const std::string& name, ScalarType type, const std::vector<AxisSpec>& axes);
  /// A buffer that the kernel both reads and writes.
  Tensor in_out(const std::string& name, ScalarType type, const std::vector<AxisSpec>& axes);

  /// A scalar that the launch passes: an i32, f32 or f64, or an index if u32.
  Expr argument(const std::string& name, ScalarType type);

  /// A view, with layout `layout`, of a new shared array of exactly cosize(layout) elements.
  /// Throws LayoutError if two coordinates share an address, naming them.
  View shared(const std::string& name, ScalarType type, const Layout& layout);
  View shared(const std::string& name, ScalarType type, const ComposedLayout& layout);
  /// A view of a new shared array of at least `elements` elements, which the kernel also accesses through other views.
  View shared(const std::string& name, ScalarType type, const ComposedLayout& layout,
              std::int64_t elements);

  /// A view of new registers of each thread. If `vector` is above 1, they are an array of vectors of that many
  /// elements and are only moved as whole vectors.
  View registers(const std::string& name, ScalarType type, const Layout& layout,
                 std::uint32_t vector = 1);

  /// Registers with a compact layout and the shape of `view`. CuTe, MoYe.jl: make_fragment_like.
  View make_fragment_like(const std::string& name, ScalarType type, const View& view,
                          std::uint32_t vector = 1);

  /// The tile coordinates of this workgroup. The grid follows from the tiles taken at them:
  /// ceil(extent / tile) workgroups.
  Expr block_x() const;
  Expr block_y() const;
  Expr block_z() const;
  /// Sets the grid along a dimension (0: block_x) whose coordinate is not used directly as a tile
  /// coordinate. `max_groups` is the maximum number of groups; 0 means one for each tile.
  void grid(std::size_t dimension, const Extent& extent, std::int64_t tile,
            std::int64_t max_groups = 0);
  Expr thread() const;  // 0 .. threads-1

  /// to(v) = from(v) for each value v; see copy.hpp.
  void copy(const View& from, const View& to, const CopyOptions& options = {});

  /// Copies several pairs of views: first all loads, then all stores. The sources must be views of
  /// one array, and so must the targets. Throws KernelError if they are not, or if `pairs` is empty.
  void copy(const std::vector<std::pair<View, View>>& pairs, const CopyOptions& options);

  /// The codes of `bits` bits in `words`, a view of an array of u8, u16 or u32; see codes.hpp. Throws LayoutError
  /// unless `bits` divides the bits of a word.
  Codes unsigned_codes(const View& words, std::uint32_t bits) const;
  /// The codes of `bits` bits in `words`, in two's complement: codes of 4 bits are -8 to 7. Otherwise as
  /// unsigned_codes.
  Codes signed_codes(const View& words, std::uint32_t bits) const;
  /// to(v) = the code from(v), converted to the type of `to`. Loads each word once, with `options`, into new registers
  /// (`to_packed`), and extracts its codes. By default, codes of words outside the buffer are 0. Throws LayoutError if
  /// the values of a thread begin or end within a word; see codes.hpp.
  void copy(const Codes& from, const View& to, const CopyOptions& options = {.edges = Edges::zero});

  /// c(m, n) += a(m) * b(n), for registers with the shapes of partition_A, _B and _C; see mma.hpp.
  void gemm(const View& a, const View& b, const View& c);

  /// y(v) = alpha * x(v) + beta * y(v), for registers; without beta, y is not read.
  void axpby(const Expr& alpha, const View& x, const std::optional<Expr>& beta, const View& y);

  /// A loop over i = 0 .. end-1. `body` is called once, with i as an index. `unroll`: whether the
  /// compiler may unroll the loop. Throws KernelError if `variable` is a name that copies use for
  /// their own loops and values, such as v0 or value.
  void loop(const std::string& variable, const Expr& end,
            const std::function<void(const Expr&)>& body, ir::Unroll unroll = ir::Unroll::free);
  /// A loop that the compiler must unroll: i becomes a constant, as an index of registers must be. If `end` is 1, the
  /// text contains no loop.
  void unrolled_loop(const std::string& variable, std::uint32_t end,
                     const std::function<void(const Expr&)>& body);

  /// A parameter of a function, an index: its name, its value at a call, and the bound below which all values are.
  struct Parameter {
    std::string name;
    Expr argument;
    std::uint64_t end = ir::kUnbounded;
  };
  /// Records the statements of `body` for these parameters. The shader contains them once, as a function, however often
  /// it is called: all calls of one name must record the same. In the IR, each call contains the statements in place.
  ///
  ///   k.call("fetch", {{"step", kk + 1, 8}}, [&](const Expr& step) { .. });       fetch(kk + 1u);
  ///
  /// Names that `body` defines end with it; values that it uses from around the call become further parameters.
  template <std::size_t count, class Function>
  void call(const std::string& function, const Parameter (&parameters)[count],
            const Function& body) {
    call_function(function, {parameters, parameters + count}, [&](const std::vector<Expr>& names) {
      [&]<std::size_t... i>(std::index_sequence<i...>) { body(names[i]...); }
      (std::make_index_sequence<count>());
    });
  }
  /// A call of a function without parameters.
  void call(const std::string& function, const std::function<void()>& body) {
    call_function(function, {}, [&](const std::vector<Expr>&) { body(); });
  }

  /// A view of `registers` in the shape of `view`, which must have the same size. CuTe: retile.
  View retile(const View& registers, const View& view) const;
  /// A view of `registers` with another layout, which must stay within them. CuTe: make_tensor.
  View retile(const View& registers, const Layout& layout) const;

  /// Appends statements of the IR.
  void add(ir::Titled block);

  // --- element-wise computation, see compute.hpp ---

  /// to(v) = function(from(v)..) for each value v, converted to the type of `to`.
  void apply(const View& to, const ElementFunction& function, const std::vector<View>& from);
  /// to(v) = function(from(v)...), with a function that takes the elements as separate arguments, one of each view.
  template <class Function, std::same_as<View>... Views>
  void apply(const View& to, const Function& function, const Views&... from) {
    apply(to, [&](const std::vector<Expr>& x) { return applied(function, x, from...); }, {from...});
  }
  /// to(v) = function((from(v)..), coordinates of at(v)) for each value v. `at` is a view of a buffer, or
  /// make_identity_view of a tile, that is split like `to`. It is not accessed.
  void apply(const View& to, const View& at, const PlacedFunction& function,
             const std::vector<View>& from);
  /// to(v) = value. A double becomes a number of the type of `to`.
  void assign(const View& to, const Expr& value);
  void assign(const View& to, double value);
  /// to(v) = reduction(to(v), from(w)); w = v along each mode where `to` has more than one value.
  void accumulate(const View& to, Reduction reduction, const View& from);
  /// Accumulates atomically: several threads may combine their values into one element.
  void accumulate_atomically(const View& to, Reduction reduction, const View& from);
  /// Accumulates atomically into one element, whose coordinates may depend on data. Returns its old value, as `name`.
  Expr accumulate_atomically(const std::string& name, const ir::Element& to, Reduction reduction,
                             const Expr& value);

  /// Records the statements of `body`. In the generated text, the comment `title` stands above them, in place of the
  /// comment of a single operation. Names that `body` defines end with it.
  ///
  ///   k.with_title("x <- x / sum", ..)                // x <- x / sum
  void with_title(const std::string& title, const std::function<void()>& body);
  /// Records the statements of `body` as with_title does, but a single operation keeps its own comment below `heading`.
  ///
  ///   k.under_heading("the next tile of A", ..)       // the next tile of A:
  ///                                                   // copy partition(tile(a, (64,8)), ..) at (..)
  ///                                                   //   to partition(shared_a, ..)
  void under_heading(const std::string& heading, const std::function<void()>& body);

  /// Names a value, so that it is computed once.
  Expr let(const std::string& name, const Expr& value);
  /// Names a floating-point value whose operations must each round once, as written. Otherwise, compilers may contract
  /// products and sums, and some rearrange them. Needed where rounding errors are computed or cancel: the low part of a
  /// number, a - high, becomes 0 if the compiler derives high from a. `value` must not contain multiply_add, which
  /// devices may fuse or not. In the shader the name is `precise`, and so is all arithmetic that it depends on.
  Expr let_exact(const std::string& name, const Expr& value);
  /// Loads the single value of `view` and names it, or stores it; it must be inside its buffer. Several values in
  /// shared memory or registers are one vector. Throws LayoutError if they are not consecutive.
  Expr load(const std::string& name, const View& view);
  void store(const Expr& value, const View& view);
  /// Loads from `from`, or stores to `to`, one element or one vector at explicit coordinates, which the
  /// verifier must find inside the array. If the array is not declared, `load`, which needs its type,
  /// throws KernelError; for a `store`, finish() reports it.
  Expr load(const std::string& name, const ir::Element& from);
  void store(const Expr& value, const ir::Element& to);
  /// The type of the elements of `view`.
  ScalarType type_of(const View& view) const { return array(view).type; }

  // --- cooperative matrices, see matrices.hpp ---

  /// Declares rows x columns matrices. Throws LayoutError, or KernelError without subgroups.
  Matrices matrices(const std::string& name, ScalarType type, const ir::MatrixType& matrix,
                    std::int64_t rows, std::int64_t columns);
  /// The elements that a lane holds, as registers: (elements of a matrix, matrices).
  View elements(const Matrices& matrices) const { return elements_of(matrices, lanes()); }
  /// Loads each matrix of `to` from its tile of `from`, which has the shape of all matrices together; see
  /// load_statements for errors. `max_width`: the widest vector, in elements, for an array that is also accessed by
  /// elements or by narrower vectors.
  void load(const View& from, const Matrices& to, std::uint32_t max_width = ~std::uint32_t{0});
  /// Stores the matrices from (row, column) on, as many as fill `to`.
  void store(const Matrices& from, const Expr& row, const Expr& column, const View& to);
  void store(const Matrices& from, const Expr& row, const View& to) { store(from, row, 0, to); }
  /// Sets all elements of all matrices of `to` to `value`.
  void assign(const Matrices& to, double value);
  /// c += a * b.
  void multiply(const Matrices& a, const Matrices& b, const Matrices& c);

  // --- across threads, see across.hpp ---

  std::uint32_t threads() const { return kernel_.threads; }  // per workgroup
  std::uint32_t lanes() const { return kernel_.subgroup_size; }
  Expr lane() const;      // 0 .. lanes-1
  Expr subgroup() const;  // 0 .. threads/lanes-1

  /// Subgroup operations. All lanes of the subgroup must reach them. `combine` is add, minimum or maximum; finish()
  /// reports others. They throw KernelError if the Builder was constructed without lanes.
  Expr subgroup_reduce(const std::string& name, ir::Op combine, const Expr& value);
  Expr subgroup_inclusive_scan(const std::string& name, ir::Op combine, const Expr& value);
  Expr subgroup_exclusive_scan(const std::string& name, ir::Op combine, const Expr& value);
  Expr subgroup_broadcast(const std::string& name, const Expr& value, const Expr& lane);
  Expr subgroup_shuffle(const std::string& name, const Expr& value, const Expr& lane);
  /// The value of lane (lane() ^ step).
  Expr subgroup_shuffle_xor(const std::string& name, const Expr& value, const Expr& step);
  Expr subgroup_ballot(const std::string& name, const Expr& condition);  // u32 x4
  Expr subgroup_elect(const std::string& name);                          // boolean

  /// values(v) = the reduction of values(v) over all threads that differ only in mode `mode` of `threads`; each of
  /// these threads gets the result. If these threads belong to several subgroups, the values are combined through
  /// shared memory; in a loop, call barrier() before the next round. Precondition: `values` are registers.
  /// Throws LayoutError if `threads` does not number the workgroup's threads, or if a leaf of it
  /// straddles a subgroup boundary.
  void reduce_across(const View& values, Reduction reduction, const Layout& threads, int mode);

  /// Redistributes the values of `registers` from the thread-value layout `from` to `to`, both
  /// (thread, value) -> coordinate, by shuffles within each subgroup; see exchange.hpp. The result
  /// overwrites the same registers and has the shape of the values of `to`.
  /// Throws LayoutError with every reason against it.
  View exchange(const View& registers, const Layout& from, const Layout& to);

  /// How wide accesses to the values of `view` may be; see width.hpp.
  AccessWidth width(const View& view, std::int64_t max_bytes = kWidestCopy) const;

  /// Conditions on block coordinates and sizes: see bounds.hpp and, for `fits`, width.hpp.
  Conditions inside(const View& view) const;
  Conditions begins_inside(const View& view) const;
  Conditions aligned(const View& view, std::uint32_t elements) const;
  Conditions fits(const View& view, const Vector& vector, Edges edges = Edges::skip) const;

  /// Records an if: `body` where all conditions hold, else `otherwise`.
  void branch(
      const Conditions& conditions, const std::function<void()>& body,
      const std::function<void()>& otherwise = [] {});
  /// Records an if with a title for each branch, such as "a whole tile" and "a tile at an edge".
  void branch(const Conditions& conditions, const std::string& title,
              const std::function<void()>& body, const std::string& other_title,
              const std::function<void()>& otherwise);

  /// Waits for all threads of the workgroup; their writes to shared memory are then visible to all.
  void barrier();

  // --- one launch in place of several, see ir/grid_barrier.hpp ---

  /// A buffer that one phase of the kernel writes and later ones read; its contents do not outlive the launch.
  Tensor scratch(const std::string& name, ScalarType type, const std::vector<AxisSpec>& axes);
  /// The launch has `groups` workgroups, which all run at once and can thus wait for each other. Declares the buffer
  /// `arrivals`, two elements of u32 that are 0 before the first launch; the last binding.
  void resident(std::int64_t groups);
  /// Records a phase: `body` for each block of a grid of its own, of which block_x() .. are the coordinates inside.
  /// Workgroups share the blocks out. `title`: the comment above it.
  ///
  ///   k.resident(132);
  ///   k.grid_loop("sums of slices", [&] { .. k.block_x() .. });
  ///   k.grid_barrier();
  ///   k.grid_loop("sums of all slices", [&] { .. });
  void grid_loop(const std::string& title, const std::function<void()>& body);
  /// Waits for all workgroups; their writes to buffers are then visible to all. Stands between two phases.
  void grid_barrier();

  /// Asserts that `condition`, on arguments or values, holds from here on to the end of the branch or loop around. The
  /// verifier relies on it without a proof; the kernel, its file and `explain` carry it with its reason. The host twin
  /// refuses a launch that breaks a condition on arguments, and reports invocations that break one on values.
  void assume(const Expr& condition, const std::string& why);

  /// Asserts that no invocation accesses an element of `array` that another invocation writes. For a buffer this covers
  /// the whole launch; for shared memory, the code between two barriers. Needed for writes at indices from data. The
  /// host twin names two invocations that access the same element.
  void assume_distinct(const Tensor& array, const std::string& why);
  void assume_distinct(const View& array, const std::string& why);

  /// Asserts, without a proof, that each element of a buffer is written, and by one invocation only; for registers and
  /// shared memory, that every element that is read was written before. The kernel and `explain` carry the assumption
  /// with its reason; the host twin checks it at each size.
  void assume_written(const Tensor& array, const std::string& why);
  void assume_written(const View& array, const std::string& why);

  /// Asserts that the lanes hold the elements of `matrices` in the order that the kernel is made for. `order` is a
  /// layout in text form, or another text that names it. Needed where elements are accessed by lane or number, because
  /// the device decides their order; matrix_values calls it. The kernel, its file and `explain` carry it.
  void assume_order(const Matrices& matrices, const std::string& order);

  /// Verifies and returns the kernel. Throws KernelError with the reasons of verify, and if tiles taken at one
  /// block coordinate need different grids.
  ir::Kernel finish();
  /// Does what finish() does. If nothing is wrong and only proofs are missing, asserts assume_written(array, why)
  /// first.
  ir::Kernel finish_or_assume_written(const Tensor& array, const std::string& why);

  /// A kernel whose shader was written by hand, with the arrays, arguments and grid that this Builder declares. It is
  /// compiled, run, checked against a reference, timed and written to files like all others. But nothing in it is
  /// verified, as its file and `explain` say, and the host twin refuses it.
  /// Binding i is the i-th buffer; push constants are the arguments, in the order of their declaration, then
  /// first_group_x, first_group_y, and first_group_z if grid(2, ..) was called; shared arrays are declared for their
  /// size. `compile` compares this with the SPIR-V, and throws KernelError with every difference.
  /// Precondition: nothing else was recorded. Throws KernelError.
  ir::Kernel finish_with_glsl(ir::HandWritten shader);

 private:
  std::vector<std::size_t> grid_dimensions() const;
  // A reason for each coordinate of a block that is used, along which the grid is not known.
  std::vector<std::string> reasons_against_grid() const;
  Tensor buffer(const std::string& name, ScalarType type, Access access,
                const std::vector<AxisSpec>& axes);
  void call_function(const std::string& function, const std::vector<Parameter>& parameters,
                     const std::function<void(const std::vector<Expr>&)>& body);
  // The array of that name. Throws KernelError, naming `user`, if the kernel does not declare it.
  const ir::Array& array(const std::string& name, const std::string& user) const;
  const ir::Array& array(const View& view) const { return array(view.array, view.name); }
  ir::Element element_of(const View& view, const char* access);
  Codes codes_of(const View& words, std::uint32_t bits, bool is_signed) const;
  View array_of(const std::string& name, ScalarType type, const ComposedLayout& layout,
                ir::Array::Space space);
  void take_grid_from(const View& view);
  /// Whether an assignment to `view` is a single statement, which says as much as a title would.
  bool is_single_register(const View& view) const;
  void add_argument(const PushConstant& argument);
  ArrayView with_array(const View& view) const {
    const ir::Array& of = array(view);
    const std::size_t held = of.matrix ? ir::elements_per_lane(*of.matrix, lanes()) : 0;
    return {view, &of, static_cast<std::int64_t>(held)};
  }
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
  Addressing addressing_ = Addressing::descriptor;
  std::vector<std::string> reasons_;  // reported by finish() before the verifier's
};

}  // namespace vkmoye::gen
