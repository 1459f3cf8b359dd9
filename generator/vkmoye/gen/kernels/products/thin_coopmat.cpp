// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/thin_coopmat.hpp"

#include <algorithm>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/products/parts/buffers.hpp"

namespace vkmoye::gen {
namespace {

using Use = ir::MatrixType::Use;

// A or B: its buffer, registers and matrices.
struct ThinMatrixSide {
  const char* name;
  View (GemmBuffers::*tile)(const Expr&) const;
  bool k_contiguous;
  std::int64_t rows, atom_rows;  // of a tile, of a matrix
  FragmentLanes order;

  View waiting = {};  // registers for rows of k, in vectors
  Matrices matrices = {};
};

class ThinMatrixProduct {
 public:
  ThinMatrixProduct(const GemmThinCoopmatConfig& config, const GemmForm& form,
                    const std::string& name)
      : config_(config),
        form_(form),
        vector_(widest_access(form.a_type)),
        k_(name, config.threads(), to_index(config.subgroup)),
        a_{"a",           &GemmBuffers::a, form.a_k_contiguous,
           config.tile_m, config.atom_m,   *lanes_of(config, form, true).lanes},
        b_{"b",           &GemmBuffers::b, form.b_k_contiguous,
           config.tile_n, config.atom_n,   *lanes_of(config, form, false).lanes},
        buffers_(k_, form, {config.tile_m, config.tile_n, depth() * config.subgroups}) {}

  ir::Kernel describe() {
    k_.describe(items_behind_form(form_, gen::items(gemm_thin_coopmat_fields(), config_)),
                "operands in their own order; the subgroups' parts of k are added up at the end");
    declare();
    k_.fill(sums_, ir::number(form_.accumulator, 0));
    // Checked once, not for each tile: whether rows are aligned to vectors.
    const Conditions fits = all_of({k_.fits(mine(a_, 0), {to_index(vector_)}, Edges::zero),
                                    k_.fits(mine(b_, 0), {to_index(vector_)}, Edges::zero)});
    buffers_.if_has_products([&] {
      k_.branch(
          fits, kAlignedRows, [&] { sum_up(/*elementwise=*/false); }, kUnalignedRows,
          [&] { sum_up(/*elementwise=*/true); });
    });
    k_.store(sums_, 0, 0, select(parts_, 2, k_.subgroup()));
    k_.barrier();
    write();
    return k_.finish();
  }

 private:
  // The number of matrices along k that one vector of a lane covers.
  std::int64_t steps() const { return vector_ / size(a_.order.k_numbers); }
  // The elements of k that a subgroup reads at once.
  std::int64_t depth() const { return config_.atom_k * steps() * config_.reads; }

  void declare() {
    const std::int64_t along_k = steps() * config_.reads;
    const auto matrix = [&](std::int64_t rows, std::int64_t columns, Use use) {
      return ir::MatrixType{use, to_index(rows), to_index(columns)};
    };
    const std::int64_t rows = config_.tile_m / config_.atom_m;
    const std::int64_t columns = config_.tile_n / config_.atom_n;
    a_.matrices = k_.matrices("matrices_a", form_.a_type,
                              matrix(config_.atom_m, config_.atom_k, Use::a), rows, along_k);
    b_.matrices = k_.matrices("matrices_b", form_.a_type,
                              matrix(config_.atom_k, config_.atom_n, Use::b), along_k, columns);
    sums_ = k_.matrices("sums", form_.accumulator,
                        matrix(config_.atom_m, config_.atom_n, Use::accumulator), rows, columns);
    for (ThinMatrixSide* x : {&a_, &b_}) {
      x->waiting = k_.make_fragment_like(std::string("next_") + x->name, form_.a_type, mine(*x, 0),
                                         to_index(vector_));
    }
    const std::int64_t row = config_.tile_n + widest_access(form_.accumulator);
    parts_ = k_.shared("parts", form_.accumulator,
                       Layout(IntTuple{config_.tile_m, config_.tile_n, config_.subgroups},
                              IntTuple{row, 1, row * config_.tile_m}));
  }

  // --- views ---

  // (a vector along k, blocks of k, rows) of this lane, in tile number `k_tile`.
  View mine(const ThinMatrixSide& x, const Expr& k_tile) const {
    const View all = (buffers_.*x.tile)(k_tile);
    const View of_subgroup =
        gen::tile(x.k_contiguous ? all : transpose(all), {depth(), x.rows}, {k_.subgroup(), 0});
    return partition(of_subgroup, make_tiled_copy(x.order.lanes, make_layout({vector_, 1})),
                     k_.lane());
  }
  // The same of its matrices.
  View elements(const ThinMatrixSide& x) const {
    const bool is_a = x.matrices.type.use == Use::a;
    const std::int64_t count = config_.held(x.atom_rows);
    const std::int64_t next_k = count * (is_a ? x.matrices.rows : 1);
    const std::int64_t next_row = count * (is_a ? 1 : x.matrices.rows);
    return k_.retile(
        k_.elements(x.matrices),
        make_layout(make_layout(x.order.k_numbers, Layout(steps(), next_k)),
                    Layout(config_.reads, next_k * steps()),
                    make_layout(x.order.row_numbers, Layout(x.rows / x.atom_rows, next_row))));
  }

  // --- steps ---

  void sum_up(bool elementwise) {
    k_.loop("k_tile", buffers_.tiles(), [&](const Expr& k_tile) {
      for (const ThinMatrixSide* x : {&a_, &b_}) {
        buffers_.at_edges({(buffers_.*x->tile)(k_tile)}, [&](Edges edges) {
          k_.copy(mine(*x, k_tile), x->waiting,
                  {.edges = edges,
                   .vector = {to_index(vector_)},
                   .vectors_fit = true,
                   .from_elementwise = elementwise});
        });
      }
      for (const ThinMatrixSide* x : {&a_, &b_})
        k_.copy(x->waiting, elements(*x), {.loads_first = true});
      k_.multiply(a_.matrices, b_.matrices, sums_);
    });
  }

  // Adds the sums of all subgroups and writes C; each thread has 16 bytes of C.
  void write() {
    const std::int64_t width = std::min(widest_access(form_.accumulator), config_.tile_n);
    const std::int64_t threads =
        std::min(config_.threads(), config_.tile_m * config_.tile_n / width);
    const std::int64_t side_by_side = std::min(config_.tile_n / width, threads);
    const TiledCopy copy = make_tiled_copy(make_layout({side_by_side, threads / side_by_side}),
                                           make_layout({width, std::int64_t{1}}));
    const auto mine = [&](const View& view) {
      return partition(view, copy, k_.thread() % to_index(threads));
    };
    const View c = mine(buffers_.c());
    k_.branch({ir::less(k_.thread(), to_index(threads))}, [&] {
      const View part = k_.make_fragment_like("part", form_.accumulator, c);
      const View sum = k_.make_fragment_like("sum", form_.accumulator, c);
      k_.fill(sum, 0);
      k_.unrolled_loop("slice", to_index(config_.subgroups), [&](const Expr& slice) {
        k_.copy(mine(transpose(select(parts_, 2, slice))), part, {.vector = {to_index(width)}});
        k_.accumulate(sum, kSum, part);
      });
      const std::int64_t most = std::min<std::int64_t>({4, width, widest_access(form_.result)});
      buffers_.write(sum, c, {to_index(most)});
    });
  }

  const GemmThinCoopmatConfig& config_;
  const GemmForm& form_;
  const std::int64_t vector_;  // elements of 16 bytes
  Builder k_;
  ThinMatrixSide a_, b_;
  GemmBuffers buffers_;
  Matrices sums_;
  View parts_;  // shared: (rows, columns, subgroups)
};

}  // namespace

ir::Kernel gemm_thin_coopmat(const GemmThinCoopmatConfig& config, const GemmForm& form,
                             const std::string& name) {
  throw_if_any(name, reasons_against(config, form));
  throw_if_any(name, reasons_against_orders(config, form));
  return ThinMatrixProduct(config, form, name).describe();
}

}  // namespace vkmoye::gen
