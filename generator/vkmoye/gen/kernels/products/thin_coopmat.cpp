// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/thin_coopmat.hpp"

#include <fmt/format.h>

#include <tuple>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/products/parts/accumulators.hpp"
#include "vkmoye/gen/kernels/products/parts/operand.hpp"

namespace vkmoye::gen {
namespace {

using Use = ir::MatrixType::Use;

struct ThinCoopmatOperand : GemmOperand {
  std::int64_t atom_rows;  // rows per matrix
  FragmentLanes order;

  Vector access = {to_index(widest_access(type))};  // a lane's loads from the buffer, along k
  View loaded = {};  // registers for rows of k, in vectors unless operands are converted
  Matrices matrices = {};
};

class ThinCoopmatProduct {
 public:
  ThinCoopmatProduct(const GemmThinCoopmatConfig& config, const GemmForm& form,
                     const std::string& name)
      : config_(config),
        form_(form),
        vector_(widest_access(unit_type(form))),
        builder_(name, config.threads(), to_index(config.subgroup_size)),
        a_{operand_a(form, config.tile_m), config.atom_m,
           *lanes_of(config, form, ir::MatrixType::Use::a).lanes},
        b_{operand_b(form, config.tile_n), config.atom_n,
           *lanes_of(config, form, ir::MatrixType::Use::b).lanes},
        buffers_(
            builder_, form, {config.tile_m, config.tile_n, depth() * config.subgroups}, 1,
            {.a = false, .b = form.weights != nullptr, .declare = [this] { declare_weights(); }}),
        sums_(builder_, buffers_, form, accumulator_shape(config, form)) {}

  ir::Kernel describe() {
    builder_.describe(items_after_form(form_, gen::items(gemm_thin_coopmat_fields(), config_)),
                      fmt::format("{}; the sums of the subgroups along k are added at the end",
                                  weights_ ? "weights packed in the order of lanes, A in its own"
                                           : "operands in their own order"));
    declare();
    if (weights_) weights_->fill_table();
    builder_.fill(sums_.matrices(), ir::number(form_.accumulator, 0));
    buffers_.if_has_products([&] {
      if (!weights_) return sum_up();
      builder_.branch(
          {ir::less(0, ir::variable("k_blocks")), ir::less(0, ir::variable("b_blocks"))},
          [&] { sum_up(); });
    });
    sums_.write();
    return builder_.finish();
  }

 private:
  // The number of matrices along k that one vector of a lane covers.
  std::int64_t steps() const { return vector_ / size(a_.order.k_numbers); }
  // The elements of k that a subgroup reads at once.
  std::int64_t depth() const { return config_.atom_k * steps() * config_.reads; }

  void declare_weights() {
    if (form_.weights == nullptr) return;
    weights_.emplace(builder_, packed_weights(config_, form_), config_.reads);
    if (form_.batched) builder_.argument("b_step", ScalarType::u32);
  }

  void declare() {
    const std::int64_t along_k = steps() * config_.reads;
    const auto matrix = [&](std::int64_t rows, std::int64_t columns, Use use) {
      return ir::MatrixType{use, to_index(rows), to_index(columns)};
    };
    const auto declare = [&](ThinCoopmatOperand& x, const char* name, bool is_first) {
      const std::int64_t rows = x.rows / x.atom_rows;
      x.matrices =
          is_first ? builder_.matrices(name, unit_type(form_),
                                       matrix(x.atom_rows, config_.atom_k, Use::a), rows, along_k)
                   : builder_.matrices(name, unit_type(form_),
                                       matrix(config_.atom_k, x.atom_rows, Use::b), along_k, rows);
    };
    declare(a_, "matrices_a", !config_.transposed);
    declare(b_, "matrices_b", config_.transposed);
    builder_.assume_order(a_.matrices, to_string(*config_.order_a.layout));
    builder_.assume_order(b_.matrices, to_string(*config_.order_b.layout));
    for (ThinCoopmatOperand* x : read_plainly()) {
      x->loaded = builder_.make_fragment_like(std::string("read_") + x->name, unit_type(form_),
                                              of_lane(*x, 0),
                                              x->access.count == vector_ ? x->access.count : 1);
    }
  }

  // --- views ---

  std::vector<ThinCoopmatOperand*> read_plainly() {
    return weights_ ? std::vector{&a_} : std::vector{&a_, &b_};
  }

  // (a vector along k, blocks of k, rows) of this lane, in tile number `k_tile`.
  View of_lane(const ThinCoopmatOperand& x, const Expr& k_tile) const {
    const View all = (buffers_.*x.tile)(k_tile);
    const View of_subgroup = gen::tile(x.k_contiguous ? all : transpose(all), {depth(), x.rows},
                                       {builder_.subgroup(), 0});
    return partition(of_subgroup, make_tiled_copy(x.order.lanes, make_layout({vector_, 1})),
                     builder_.lane());
  }
  // The same of its matrices.
  View elements(const ThinCoopmatOperand& x) const {
    const bool is_first = x.matrices.type.use == Use::a;  // of the units: then rows are rows
    const std::int64_t count = config_.elements_per_lane(x.atom_rows);
    const std::int64_t next_k = count * (is_first ? x.matrices.rows : 1);
    const std::int64_t next_row = count * (is_first ? 1 : x.matrices.rows);
    return builder_.retile(
        builder_.elements(x.matrices),
        make_layout(make_layout(x.order.k_numbers, Layout(steps(), next_k)),
                    Layout(config_.reads, next_k * steps()),
                    make_layout(x.order.row_numbers, Layout(x.rows / x.atom_rows, next_row))));
  }

  // --- steps ---

  // With few rows of A, weights are fetched while those before them are multiplied. With more, registers are short: on
  // an H100, 1 and 64 rows by 8192x8192 of q4_0 take 17.7 and 43 us so, and 18.5 and 37 without. Compilers also need
  // registers to look up numbers in a table.
  bool fetches_ahead() const {
    return weights_ && config_.tile_m == config_.atom_m && form_.weights->table_bytes() == 0;
  }

  void sum_up() {
    Conditions fits;
    for (const ThinCoopmatOperand* x : read_plainly()) {
      fits = all_of({fits, builder_.fits(of_lane(*x, 0), x->access, Edges::zero)});
    }
    if (fetches_ahead()) fetch_weights(0);
    builder_.loop("k_tile", buffers_.tiles(), [&](const Expr& k_tile) {
      if (weights_ && !fetches_ahead()) read_weights(k_tile);
      buffers_.by_alignment(fits, [&](Moved moved) { read(k_tile, moved); });
      for (const ThinCoopmatOperand* x : read_plainly()) {
        builder_.under_heading(
            x == &a_ ? "A as elements of matrices; k is permuted as in B"
                     : "B as elements of matrices; k is permuted as in A",
            [&] { builder_.copy(x->loaded, elements(*x), {.loads_first = true}); });
      }
      if (weights_) {
        builder_.with_title(weights_->formula() + ", as elements of matrices",
                            [&] { weights_->decode(elements(b_)); });
        if (fetches_ahead()) fetch_weights(k_tile + 1);
      }
      const auto& [first, second] = config_.transposed ? std::tie(b_.matrices, a_.matrices)
                                                       : std::tie(a_.matrices, b_.matrices);
      builder_.multiply(first, second, sums_.matrices());
    });
  }

  void read(const Expr& k_tile, Moved moved) {
    for (const ThinCoopmatOperand* x : read_plainly()) {
      buffers_.at_edges({(buffers_.*x->tile)(k_tile)}, [&](Edges edges) {
        builder_.copy(of_lane(*x, k_tile), x->loaded,
                      {.edges = edges,
                       .vector = x->access,
                       .vectors_fit = true,
                       .from_elementwise = moved == Moved::one_by_one});
      });
    }
  }

  void fetch_weights(const Expr& k_tile) {
    builder_.call("fetch_weights", {{"tile", k_tile}},
                  [&](const Expr& tile) { read_weights(tile); });
  }
  // Where k or n ends before, the last block is read again: A is 0 there, or the result is outside C.
  void read_weights(const Expr& k_tile) {
    const auto inside = [](const Expr& block, const char* blocks) {
      return ir::minimum(block, ir::variable(blocks) - 1);
    };
    Expr block = buffers_.tile_n();
    if (const auto& batch = buffers_.batch()) block = block + *batch * ir::variable("b_step");
    const Expr first =
        to_index(config_.subgroups) * (buffers_.first_tile() + k_tile) + builder_.subgroup();
    for (std::int64_t read = 0; read < config_.reads; ++read) {
      weights_->read(read, inside(to_index(config_.reads) * first + to_index(read), "k_blocks"),
                     inside(block, "b_blocks"));
    }
  }

  const GemmThinCoopmatConfig& config_;
  const GemmForm& form_;
  const std::int64_t vector_;  // elements of a matrix in 16 bytes
  Builder builder_;
  ThinCoopmatOperand a_, b_;
  std::optional<PackedWeightTile> weights_;
  GemmBuffers buffers_;
  GemmAccumulators sums_;
};

}  // namespace

ir::Kernel gemm_thin_coopmat(const GemmThinCoopmatConfig& config, const GemmForm& form,
                             const std::string& name) {
  throw_if_any(name, reasons_against(config, form));
  throw_if_any(name, reasons_against_orders(config, form));
  return ThinCoopmatProduct(config, form, name).describe();
}

}  // namespace vkmoye::gen
