// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/thin_coopmat.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/products/arrays/operand.hpp"
#include "vkmoye/gen/kernels/products/sources/packed_weights.hpp"
#include "vkmoye/gen/kernels/products/sources/tile_reads.hpp"
#include "vkmoye/gen/kernels/products/sources/weight_units.hpp"
#include "vkmoye/gen/kernels/products/sums/accumulators.hpp"
#include "vkmoye/gen/kernels/products/sums/lane_matrices.hpp"

namespace vkmoye::gen {
namespace {

using Use = ir::MatrixType::Use;

// What a lane reads of a tile.
struct LaneShape {
  Layout lanes;                  // (part of k, part of the rows) -> lane
  std::int64_t together, times;  // values along k: consecutive ones, and how many times
  // The values along k of a subgroup.
  std::int64_t depth() const { return size(lanes.mode(0)) * together * times; }
};

struct LaneOperand : GemmOperand, LaneMatrices {
  LaneOperand(const GemmOperand& operand, const GemmThinCoopmatConfig& config, const GemmForm& form)
      : GemmOperand(operand), lanes(*lanes_of(config, form, use).lanes) {}
  FragmentLanes lanes;
  std::int64_t rows_of_lane() const { return rows / size(lanes.to_lane.mode(1)); }

  std::optional<TileReads> reads = {};  // unless packed
};

class ThinCoopmatProduct {
 public:
  ThinCoopmatProduct(const GemmThinCoopmatConfig& config, const GemmForm& form,
                     const std::string& name)
      : config_(config),
        form_(form),
        builder_(name, config.threads(), to_index(config.subgroup_size)),
        a_(operand_a(form, config.tile_m), config, form),
        b_(operand_b(form, config.tile_n), config, form),
        buffers_(builder_, form,
                 {config.tile_m, config.tile_n, reads_of(a_).depth() * config.subgroups}, 1,
                 packed_operands(config, form)) {
    if (config.source == SourceOfB::packed_weights) {
      packed_.emplace(builder_, buffers_, packed_weights(config, form), config.reads);
    }
    if (is_in_blocks()) units_.emplace(builder_, *form.weights, config.reads, b_.rows_of_lane());
    sums_.emplace(builder_, buffers_, form, accumulator_shape(config, form));
  }

  ir::Kernel describe() {
    const char* const why[] = {"operands in their own order; ",
                               "weights packed in the order of lanes, A in its own; ",
                               "lanes read blocks of their rows of weights, and their k of A; "};
    builder_.header(items_after_form(form_, gen::items(gemm_thin_coopmat_fields(), config_)),
                    std::string(why[static_cast<std::size_t>(config_.source)]) +
                        "the sums of the subgroups along k are added at the end");
    for (LaneOperand* x : {&a_, &b_}) declare_matrices(*x);
    declare_reads(a_);
    if (!packed_) declare_reads(b_);
    if (packed_) packed_->fill_table();
    return sums_->kernel([&] { sum_up(); });
  }

 private:
  bool is_in_blocks() const { return config_.source == SourceOfB::weight_blocks; }
  // The elements of a matrix in 16 bytes, which a lane has along k.
  std::int64_t vector() const { return widest_access(multiplied_type(form_)); }
  std::int64_t parts_of_k() const { return is_in_blocks() ? 1 : config_.reads; }

  // What a lane reads at once: of weights in blocks, the words of some blocks of a row, and as many elements of A as
  // these have weights.
  LaneShape reads_of(const LaneOperand& x) const {
    std::int64_t together = vector();
    if (is_in_blocks()) {
      together = config_.reads * (x.in_blocks ? form_.weights->bytes / 2 : form_.weights->elements);
    }
    return {x.lanes.to_lane, together, parts_of_k()};
  }

  // --- declarations ---

  void declare_matrices(LaneOperand& x) {
    static_cast<LaneMatrices&>(x) = lane_matrices(
        builder_, config_, fmt::format("matrices_{}", x.name), multiplied_type(form_),
        {x.use, *config_.order(x.use).layout, x.lanes, x.rows, vector(), parts_of_k()});
  }

  // Precondition: `x` is not packed.
  void declare_reads(LaneOperand& x) {
    const LaneShape shape = reads_of(x);
    const std::int64_t words = x.in_blocks ? shape.depth() * config_.subgroups : 0;
    const auto tile_of = [this, &x, words](const Expr& k_tile) {
      const View all = buffers_.tile_of(x.use, k_tile, words);
      return x.k_contiguous ? all : transpose(all);
    };
    const std::uint32_t access =
        to_index(x.in_blocks ? access_words(*form_.weights, config_.reads) : widest_access(x.type));
    const auto parts = [=](Moved moved) -> TilePart {
      return {make_tiled_copy(shape.lanes, make_layout({shape.together, std::int64_t{1}})),
              {access},
              moved == Moved::one_by_one};
    };
    const auto of_subgroup = [this, &x, shape](const View& all) {
      return tile(all, {shape.depth(), x.rows}, {builder_.subgroup(), 0});
    };
    x.reads.emplace(builder_, tile_of, builder_.lane(), parts, of_subgroup);
    const bool in_vectors = x.in_blocks || access == vector();
    x.reads->declare(fmt::format("read_{}", x.name),
                     x.in_blocks ? ScalarType::u16 : multiplied_type(form_),
                     in_vectors ? access : 1);
  }

  // --- sums += A * B over all tiles of k ---

  void sum_up() {
    Conditions fits = a_.reads->fits();
    if (b_.reads) fits = all_of({fits, b_.reads->fits()});
    if (units_ && units_->has_table()) builder_.barrier();
    if (fetches_ahead()) fetch_weights(0);
    const auto for_each_tile = [&](const auto& body) {
      builder_.loop("k_tile", buffers_.tiles(), body);
    };
    if (!packed_ && !units_) {
      // Checked once, not for each tile: 16 rows by 4096x4096 of f16 take 10.8 us on an H200, and else 13.8.
      return buffers_.by_alignment(fits, [&](Moved moved) {
        for_each_tile([&](const Expr& k_tile) {
          for (const LaneOperand* x : {&a_, &b_}) read_tiles(builder_, {&*x->reads}, k_tile, moved);
          builder_.call("multiply", [&] { multiply(k_tile); });
        });
      });
    }
    for_each_tile([&](const Expr& k_tile) {
      if (packed_ && !fetches_ahead()) read_weights(k_tile);
      buffers_.by_alignment(fits, [&](Moved moved) {
        if (units_) read_tiles(builder_, {&*b_.reads}, k_tile, moved);
        read_tiles(builder_, {&*a_.reads}, k_tile, moved);
      });
      units_ ? multiply_group_by_group() : multiply(k_tile);
    });
  }

  // With few rows of A, weights are fetched while those before them are multiplied. With more, registers are short: on
  // an H100, 1 and 64 rows by 8192x8192 of q4_0 take 17.7 and 43 us so, and 18.5 and 37 without. So they are with
  // numbers for parts of a block (on an H200, a row by 8192x4096 of q6_K takes 15.9 us so, and 13.2 without), and with
  // a table.
  bool fetches_ahead() const {
    return packed_ && config_.tile_m == config_.atom_m && form_.weights->table_bytes() == 0 &&
           !form_.weights->has_sub_blocks();
  }
  void fetch_weights(const Expr& k_tile) {
    builder_.call("fetch_weights", {{"tile", k_tile}},
                  [&](const Expr& tile) { read_weights(tile); });
  }
  void read_weights(const Expr& k_tile) {
    packed_->read(to_index(config_.subgroups) * (buffers_.first_tile() + k_tile) +
                  builder_.subgroup());
  }

  // All that was read at once.
  void multiply(const Expr& k_tile) {
    const auto as_matrices = [&](const LaneOperand& x, const char* other) {
      builder_.under_heading(
          fmt::format("{} as elements of matrices; k is permuted as in {}", x.title, other),
          [&] { builder_.copy(x.reads->values(), x.elements, {.loads_first = true}); });
    };
    as_matrices(a_, "B");
    if (packed_) {
      builder_.with_title(packed_->formula() + ", as elements of matrices",
                          [&] { packed_->decode(b_.elements); });
      if (fetches_ahead()) fetch_weights(k_tile + 1);
    } else {
      as_matrices(b_, "A");
    }
    sums_->add_product(a_.matrices, b_.matrices);
  }

  // 8 elements of k of each lane at a time, in the order in which weights are decoded from their words.
  void multiply_group_by_group() {
    units_->read(b_.reads->values().array);
    units_->for_each_group_of_pairs(
        multiplied_type(form_),
        [&](const std::vector<Expr>& weights, const Expr& row) {
          builder_.with_title("matrices_b <- " + units_->decoding(),
                              [&] { store(weights, b_, row); });
        },
        [&](const Expr& first) {
          builder_.with_title("matrices_a <- the elements of A for these weights", [&] {
            builder_.unrolled_loop("row", to_index(a_.rows_of_lane()), [&](const Expr& row) {
              store(elements_of_a(row, first), a_, row);
            });
          });
          sums_->add_product(a_.matrices, b_.matrices);
        });
  }
  // Eight elements of row number `row` of the lane, from number `first` on, in the order of the weights.
  std::vector<Expr> elements_of_a(const Expr& row, const Expr& first) {
    const View eight = take(select(slice(a_.reads->values(), {_, 0, _}), 1, row), first, vector());
    const bool at_once = widest_access(a_.type) == vector();
    const Expr all = at_once ? builder_.load("eight_of_a", eight) : Expr(0);
    std::vector<Expr> out;
    for (const std::int64_t i : order_of_pairs(*form_.weights)) {
      out.push_back(at_once ? component(all, to_index(i))
                            : builder_.load(fmt::format("of_a{}", i), take(eight, to_index(i), 1)));
    }
    return out;
  }
  // The elements along k of row number `row` of the lane <- `values`.
  void store(const std::vector<Expr>& values, const LaneOperand& x, const Expr& row) {
    const View of_row = select(slice(x.elements, {_, 0, _}), 1, row);
    std::uint32_t k = 0;
    for (const Expr& value : values) builder_.store(value, take(of_row, k++, 1));
  }

  static PackedOperands packed_operands(const GemmThinCoopmatConfig& config, const GemmForm& form) {
    if (config.source != SourceOfB::packed_weights) return {};
    return {.b = PackedBlocks{ScalarType::u32, packed_weights(config, form).words()}};
  }

  const GemmThinCoopmatConfig& config_;
  const GemmForm& form_;
  Builder builder_;
  LaneOperand a_, b_;
  GemmBuffers buffers_;
  std::optional<PackedWeightTile> packed_;  // where B comes from, unless it has elements
  std::optional<WeightUnits> units_;
  std::optional<GemmAccumulators> sums_;
};

}  // namespace

ir::Kernel gemm_thin_coopmat(const GemmThinCoopmatConfig& config, const GemmForm& form,
                             const std::string& name) {
  throw_if_any(name, reasons_against(config, form));
  throw_if_any(name, reasons_against_orders(config, form));
  if (config.across > 0) return gemm_packed_across(config, form, name);
  return ThinCoopmatProduct(config, form, name).describe();
}

}  // namespace vkmoye::gen
