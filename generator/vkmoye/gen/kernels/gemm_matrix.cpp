#include "vkmoye/gen/kernels/gemm_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/gemm_buffers.hpp"
#include "vkmoye/tensor/copy_atom.hpp"

namespace vkmoye::gen {
namespace {

using Use = ir::MatrixType::Use;

std::int64_t bytes_of(ScalarType type) { return static_cast<std::int64_t>(size_of(type)); }

// Elements of the widest access.
std::int64_t widest(ScalarType type) { return kWidestCopy / bytes_of(type); }

// Of `conditions` those that are not among `known`.
Conditions beyond(const Conditions& known, const Conditions& conditions) {
  Conditions out;
  for (const Expr& condition : conditions) {
    const auto same = [&](const Expr& other) { return ir::same(other, condition); };
    if (std::none_of(known.begin(), known.end(), same)) out.push_back(condition);
  }
  return out;
}

// A or B on its way from its buffer to the matrix units.
struct Side {
  const char* name;
  View (GemmBuffers::*tile)(const Expr&) const;  // its tile of a number along k
  bool k_contiguous;
  std::int64_t rows;  // of a tile

  View shared = {};  // (rows, bK)
  View next = {};    // registers that the next tile waits in, in vectors
  Matrices matrices = {};
};

class Product {
 public:
  Product(const GemmMatrixConfig& config, const GemmForm& form, const std::string& name)
      : config_(config),
        form_(form),
        k_(name, config.threads(), to_index(config.subgroup)),
        buffers_(k_, form, {config.tile_m, config.tile_n, config.tile_k}, config.strip),
        a_{"a", &GemmBuffers::a, form.a_k_contiguous, config.tile_m},
        b_{"b", &GemmBuffers::b, form.b_k_contiguous, config.tile_n} {}

  ir::Kernel describe() {
    auto items = gen::items(gemm_matrix_fields(), config_);
    items.insert(items.begin(), {"form", form_text(form_)});
    k_.describe(
        std::move(items),
        "matrix units; the next tiles are fetched into registers while these are multiplied");
    declare(a_);
    declare(b_);
    declare_matrices();

    const Conditions fits = all_of({k_.fits(source(a_, 0), vector(), Edges::zero),
                                    k_.fits(source(b_, 0), vector(), Edges::zero)});
    buffers_.where_there_are_elements([&] {
      k_.fill(sums_, ir::number(form_.accumulator, 0));
      buffers_.where_there_are_products([&] {
        k_.branch(
            fits, [&] { sum_up_vectors(); }, [&] { sum_up_singly(); });
      });
      write();
    });
    return k_.finish();
  }

 private:
  // What a thread moves at once.
  Vector vector() const { return {to_index(staged_at_once(config_, form_))}; }

  // --- what is declared ---

  void declare(Side& x) {
    const std::int64_t pad = config_.pad / bytes_of(form_.operand);
    const IntTuple strides =
        x.k_contiguous ? IntTuple{config_.tile_k + pad, 1} : IntTuple{1, x.rows + pad};
    x.shared = k_.shared(fmt::format("shared_{}", x.name), form_.operand,
                         Layout(IntTuple{x.rows, config_.tile_k}, strides));
    x.next = k_.make_fragment_like(fmt::format("next_{}", x.name), form_.operand, source(x, 0),
                                   vector().count);
  }

  void declare_matrices() {
    const auto size = [](std::int64_t rows, std::int64_t columns, Use use) {
      return ir::MatrixType{use, to_index(rows), to_index(columns)};
    };
    const std::int64_t rows = config_.subgroup_rows() / config_.atom_m;
    const std::int64_t columns = config_.subgroup_columns() / config_.atom_n;
    a_.matrices = k_.matrices("matrices_a", form_.operand,
                              size(config_.atom_m, config_.atom_k, Use::a), rows, 1);
    b_.matrices = k_.matrices("matrices_b", form_.operand,
                              size(config_.atom_k, config_.atom_n, Use::b), 1, columns);
    sums_ = k_.matrices("sums", form_.accumulator,
                        size(config_.atom_m, config_.atom_n, Use::accumulator), rows, columns);
    // A row of matrices of each subgroup, or a part of it, on its way to C.
    const std::int64_t side_by_side = config_.subgroups_n * columns_at_once(config_, form_);
    out_ = k_.shared("shared_c", form_.accumulator,
                     Layout(IntTuple{config_.subgroups_m * config_.atom_m, side_by_side},
                            IntTuple{side_by_side + widest(form_.accumulator), 1}));
  }

  // --- views ---

  Expr subgroup_m() const { return k_.subgroup() % to_index(config_.subgroups_m); }
  Expr subgroup_n() const { return k_.subgroup() / to_index(config_.subgroups_m); }

  TiledCopy staging(const Side& x) const {
    const std::int64_t along = x.k_contiguous ? config_.tile_k : x.rows;
    const std::int64_t side_by_side = along / vector().count;
    const std::int64_t stride = side_by_side + config_.pad / kWidestCopy;
    return make_tiled_copy(staging_threads(side_by_side, config_.threads() / side_by_side, stride),
                           make_layout({static_cast<std::int64_t>(vector().count), 1}));
  }
  View source(const Side& x, const Expr& k_tile) const {
    return partition((buffers_.*x.tile)(k_tile), staging(x), k_.thread());
  }
  View destination(const Side& x) const {
    return partition(x.k_contiguous ? transpose(x.shared) : x.shared, staging(x), k_.thread());
  }

  // --- sums += A * B over all tiles of k ---

  void load_next(const Expr& k_tile, Edges edges, bool singly) {
    for (const Side* x : {&a_, &b_}) {
      k_.copy(source(*x, k_tile), x->next,
              {.edges = edges, .vector = vector(), .vectors_fit = true, .from_singly = singly});
    }
  }
  void store_next() {
    for (const Side* x : {&a_, &b_}) k_.copy(x->next, destination(*x), {.vector = vector()});
  }
  void multiply() {
    k_.unrolled_loop("kk", to_index(config_.tile_k / config_.atom_k), [&](const Expr& kk) {
      k_.load(tile(a_.shared, {config_.subgroup_rows(), config_.atom_k}, {subgroup_m(), kk}),
              a_.matrices);
      k_.load(transpose(tile(b_.shared, {config_.subgroup_columns(), config_.atom_k},
                             {subgroup_n(), kk})),
              b_.matrices);
      k_.multiply(a_.matrices, b_.matrices, sums_);
    });
  }
  // Of `count` tiles of k, the first of which is number `first`; `fetch` loads one into registers.
  void sum_up(const char* variable, const Expr& first, const Expr& count,
              const std::function<void(const Expr&)>& fetch) {
    fetch(first);
    k_.loop(
        variable, count,
        [&](const Expr& i) {
          k_.barrier();
          store_next();
          k_.barrier();
          fetch(first + i + 1);
          multiply();
        },
        config_.unroll ? ir::Unroll::free : ir::Unroll::never);
  }
  // Tiles that are inside ask for nothing else; the rest of k, and tiles at edges, do.
  void sum_up_vectors() {
    const auto inside = [&](const Expr& k_tile) {
      return all_of({k_.inside(buffers_.a(k_tile)), k_.inside(buffers_.b(k_tile))});
    };
    const Conditions known = inside(0);
    const Expr of_k = buffers_.whole_tiles(), all = buffers_.tiles();
    const Expr whole = k_.let("whole_tiles", ir::select(conjunction(known), of_k, 0));
    k_.branch(known, [&] {
      sum_up("k_tile", 0, of_k, [&](const Expr& k_tile) {
        k_.branch(beyond(known, inside(k_tile)),
                  [&] { load_next(k_tile, Edges::inside, /*singly=*/false); });
      });
    });
    k_.branch({ir::less(whole, all)}, [&] {
      sum_up("rest", whole, all - whole,
             [&](const Expr& k_tile) { load_next(k_tile, Edges::zero, /*singly=*/false); });
    });
  }
  void sum_up_singly() {
    sum_up("k_tile", 0, buffers_.tiles(), [&](const Expr& k_tile) {
      buffers_.at_edges(k_tile, [&](Edges edges) { load_next(k_tile, edges, /*singly=*/true); });
    });
  }

  // --- C = alpha * sums + beta * C ---

  void write() {
    const bool as_they_are = config_.direct && !form_.beta && form_.epilogue.empty() &&
                             form_.result == form_.accumulator;
    if (!as_they_are) return write_through_shared();
    const View c = buffers_.c();
    const Expr one = ir::number(factor_type(form_), 1);
    const Conditions straight = all_of({{ir::equal(buffers_.alpha(), one)},
                                        k_.inside(c),
                                        k_.aligned(c, to_index(widest(form_.result)))});
    k_.branch(
        straight,
        [&] {
          k_.store(sums_, 0, 0,
                   transpose(tile(c, {config_.subgroup_columns(), config_.subgroup_rows()},
                                  {subgroup_n(), subgroup_m()})));
        },
        [&] { write_through_shared(); });
  }

  // Each subgroup a row of its matrices after the other, or a part of one.
  void write_through_shared() {
    const std::int64_t columns = columns_at_once(config_, form_);
    const std::int64_t width = widest(form_.accumulator), lanes = config_.subgroup;
    const std::int64_t side_by_side = std::min(lanes, columns / width);
    const TiledCopy copy =
        make_tiled_copy(make_layout({side_by_side, lanes / side_by_side}), make_layout({width, 1}));
    const auto mine = [&](const View& view) { return partition(view, copy, k_.lane()); };
    const View tile_of_c = buffers_.c();
    const View some = tile(tile_of_c, {columns, config_.atom_m}, {0, 0});
    const View sum = k_.make_fragment_like("sum", form_.accumulator, mine(some));
    const std::int64_t most = std::min<std::int64_t>({4, width, widest(form_.result)});
    const Expr rows = to_index(config_.subgroup_rows() / config_.atom_m);
    const Expr parts = to_index(config_.subgroup_columns() / columns);
    const View staged = tile(out_, {config_.atom_m, columns}, {subgroup_m(), subgroup_n()});
    const auto bring = [&](const Expr& row, const Expr& part) {
      const View to = tile(tile_of_c, {columns, config_.atom_m},
                           {part + parts * subgroup_n(), row + rows * subgroup_m()});
      k_.barrier();
      k_.store(sums_, row, part * to_index(columns / config_.atom_n), staged);
      k_.barrier();
      k_.copy(mine(transpose(staged)), sum, {.vector = {to_index(width)}});
      buffers_.write(sum, mine(to), {to_index(most)});
    };
    k_.unrolled_loop("row", to_index(config_.subgroup_rows() / config_.atom_m),
                     [&](const Expr& row) {
                       if (ir::is_constant(parts, 1)) return bring(row, 0);
                       k_.unrolled_loop("part", static_cast<std::uint32_t>(parts->value),
                                        [&](const Expr& part) { bring(row, part); });
                     });
  }

  const GemmMatrixConfig& config_;
  const GemmForm& form_;
  Builder k_;
  GemmBuffers buffers_;
  Side a_, b_;
  Matrices sums_;
  View out_;
};

}  // namespace

ir::Kernel gemm_matrix(const GemmMatrixConfig& config, const GemmForm& form,
                       const std::string& name) {
  auto reasons = reasons_against(config, form);
  if (!reasons.empty()) throw KernelError(name, std::move(reasons));
  return Product(config, form, name).describe();
}

}  // namespace vkmoye::gen
