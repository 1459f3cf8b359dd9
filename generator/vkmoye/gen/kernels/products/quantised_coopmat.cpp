// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/quantised_coopmat.hpp"

#include <fmt/format.h>

#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/products/parts/accumulators.hpp"
#include "vkmoye/gen/kernels/products/parts/weight_units.hpp"

namespace vkmoye::gen {
namespace {

using Use = ir::MatrixType::Use;

class QuantisedCoopmatProduct {
 public:
  QuantisedCoopmatProduct(const GemmThinCoopmatConfig& config, const GemmForm& form)
      : config_(config),
        form_(form),
        format_(*form.weights),
        lanes_a_(*lanes_of(config, form, Use::a).lanes),
        lanes_b_(*lanes_of(config, form, Use::b).lanes),
        builder_("gemm/quantised_coopmat", config.threads(), to_index(config.subgroup_size)),
        buffers_(builder_, form, {config.tile_m, config.tile_n, depth() * config.subgroups}),
        units_(builder_, format_, config.reads, rows_of_lane(lanes_b_, config.tile_n)),
        sums_(builder_, buffers_, form, accumulator_shape(config, form)) {}

  ir::Kernel describe() {
    builder_.describe(items_after_form(form_, gen::items(gemm_thin_coopmat_fields(), config_)),
                      "lanes read whole blocks of their rows of weights, and the same k of A; the "
                      "sums of the subgroups along k are added at the end");
    declare();
    builder_.fill(sums_.matrices(), ir::number(form_.accumulator, 0));
    const Conditions fits = all_of({builder_.fits(elements_of_lane(0), access_, Edges::zero),
                                    builder_.fits(words_of_lane(0), words(), Edges::zero)});
    buffers_.if_has_products([&] {
      if (units_.has_table()) builder_.barrier();
      builder_.loop("k_tile", buffers_.tiles(), [&](const Expr& k_tile) {
        buffers_.by_alignment(fits, [&](Moved moved) { read(k_tile, moved); });
        multiply();
      });
    });
    sums_.write();
    return builder_.finish();
  }

 private:
  // The elements of k that a lane reads at once of a row, and those of the lanes that share rows.
  std::int64_t unit() const { return config_.reads * format_.elements; }
  std::int64_t depth() const { return size(lanes_b_.lanes.mode(0)) * unit(); }
  std::int64_t words_of_unit() const { return config_.reads * format_.bytes / 2; }
  std::int64_t words_of_subgroup() const { return size(lanes_b_.lanes.mode(0)) * words_of_unit(); }
  Vector words() const { return {to_index(access_words(format_, config_.reads))}; }
  static std::int64_t rows_of_lane(const FragmentLanes& lanes, std::int64_t rows) {
    return rows / size(lanes.lanes.mode(1));
  }
  // The elements of a matrix that a lane has along k, and the matrices that 8 weights fill.
  std::int64_t along_k() const { return size(lanes_b_.k_numbers); }
  std::int64_t matrices_of_group() const { return kGroupOfPairs / along_k(); }

  void declare() {
    const auto matrix = [&](std::int64_t rows, std::int64_t columns, Use use) {
      return ir::MatrixType{use, to_index(rows), to_index(columns)};
    };
    a_ = builder_.matrices("matrices_a", unit_type(form_),
                           matrix(config_.atom_m, config_.atom_k, Use::a),
                           config_.tile_m / config_.atom_m, matrices_of_group());
    b_ = builder_.matrices("matrices_b", unit_type(form_),
                           matrix(config_.atom_k, config_.atom_n, Use::b), matrices_of_group(),
                           config_.tile_n / config_.atom_n);
    builder_.assume_order(a_, to_string(*config_.order_a.layout));
    builder_.assume_order(b_, to_string(*config_.order_b.layout));
    const auto vector =
        static_cast<std::uint32_t>(access_.count == kGroupOfPairs ? kGroupOfPairs : 1);
    read_a_ = builder_.make_fragment_like("read_a", unit_type(form_), elements_of_lane(0), vector);
    read_b_ = builder_.registers(
        "read_b", ScalarType::u16,
        make_layout({words_of_unit(), rows_of_lane(lanes_b_, config_.tile_n)}), words().count);
  }

  // --- views of this lane's part of tile number `k_tile` ---

  View elements_of_lane(const Expr& k_tile) const {  // (unit, 1, rows of a lane) of A
    const View all = buffers_.a(k_tile);
    const View of_subgroup = gen::tile(form_.a_k_contiguous ? all : transpose(all),
                                       {depth(), config_.tile_m}, {builder_.subgroup(), 0});
    return partition(of_subgroup, make_tiled_copy(lanes_a_.lanes, make_layout({unit(), 1})),
                     builder_.lane());
  }
  View words_of_lane(const Expr& k_tile) const {  // the same of B, in words of its blocks
    return partition(gen::tile(words_of_tile(k_tile), {words_of_subgroup(), config_.tile_n},
                               {builder_.subgroup(), 0}),
                     make_tiled_copy(lanes_b_.lanes, make_layout({words_of_unit(), 1})),
                     builder_.lane());
  }
  View words_of_tile(const Expr& k_tile) const {
    return buffers_.b_words(k_tile, words_of_subgroup() * config_.subgroups);
  }

  // --- steps ---

  void read(const Expr& k_tile, Moved moved) {
    buffers_.at_edges({words_of_tile(k_tile)}, [&](Edges edges) {
      const View of_lane = words_of_lane(k_tile);
      builder_.copy(of_lane, builder_.retile(read_b_, of_lane),
                    {.edges = edges,
                     .vector = words(),
                     .vectors_fit = true,
                     .from_elementwise = moved == Moved::one_by_one});
    });
    buffers_.at_edges({buffers_.a(k_tile)}, [&](Edges edges) {
      builder_.copy(elements_of_lane(k_tile), read_a_,
                    {.edges = edges,
                     .vector = access_,
                     .vectors_fit = true,
                     .from_elementwise = moved == Moved::one_by_one});
    });
  }

  // sums += A * B, 8 elements of k of each lane at a time.
  void multiply() {
    units_.read(read_b_.array);
    units_.for_each_group_of_pairs(
        unit_type(form_),
        [&](const std::vector<Expr>& weights, const Expr& row) {
          builder_.with_title("matrices_b <- " + units_.decoding(),
                              [&] { store(weights, b_, lanes_b_, row); });
        },
        [&](const Expr& first) {
          builder_.with_title("matrices_a <- the elements of A for these weights", [&] {
            builder_.unrolled_loop(
                "row", to_index(rows_of_lane(lanes_a_, config_.tile_m)),
                [&](const Expr& row) { store(elements_of_a(row, first), a_, lanes_a_, row); });
          });
          builder_.multiply(a_, b_, sums_.matrices());
        });
  }

  // Eight elements of row number `row` of the lane, from number `first` on, in the order of the weights.
  std::vector<Expr> elements_of_a(const Expr& row, const Expr& first) {
    const Expr at = row * to_index(unit()) + first;
    std::vector<Expr> out;
    const bool at_once = access_.count == kGroupOfPairs;
    const Expr eight =
        at_once ? builder_.load("eight_of_a", {read_a_.array, {at}, "elements of A", kGroupOfPairs})
                : Expr(0);
    for (const std::int64_t i : order_of_pairs(format_)) {
      out.push_back(at_once ? ir::component(eight, to_index(i))
                            : builder_.load(fmt::format("of_a{}", i),
                                            {read_a_.array, {at + to_index(i)}, "elements of A"}));
    }
    return out;
  }

  // Eight values along k of row number `row` of the lane.
  void store(const std::vector<Expr>& values, const Matrices& to, const FragmentLanes& lanes,
             const Expr& row) {
    const bool is_a = to.type.use == Use::a;
    const std::int64_t elements = config_.elements_per_lane(is_a ? config_.atom_m : config_.atom_n);
    const std::uint32_t rows_of_matrix = to_index(size(lanes.row_numbers));
    const Expr matrix_row = row / rows_of_matrix;
    for (std::int64_t number = 0; number < kGroupOfPairs; ++number) {
      const std::uint32_t matrix_k = to_index(number / along_k()), rows = to_index(to.rows);
      const Expr matrix = is_a ? matrix_row + matrix_k * rows : matrix_row * rows + matrix_k;
      const Expr element = evaluate(lanes.row_numbers, row % rows_of_matrix) +
                           to_index(lanes.k_numbers(number % along_k()));
      builder_.store(values[static_cast<std::size_t>(number)],
                     {builder_.elements(to).array, {matrix * to_index(elements) + element}, ""});
    }
  }

  const GemmThinCoopmatConfig& config_;
  const GemmForm& form_;
  const WeightFormat& format_;
  const FragmentLanes lanes_a_, lanes_b_;
  const Vector access_ = {to_index(widest_access(form_.a_type))};
  Builder builder_;
  GemmBuffers buffers_;
  WeightUnits units_;
  GemmAccumulators sums_;
  Matrices a_ = {}, b_ = {};
  View read_a_ = {}, read_b_ = {};
};

}  // namespace

ir::Kernel gemm_quantised_coopmat(const GemmThinCoopmatConfig& config, const GemmForm& form) {
  throw_if_any("gemm/quantised_coopmat", reasons_against_quantised(config, form));
  throw_if_any("gemm/quantised_coopmat", reasons_against_orders_of_quantised(config, form));
  return QuantisedCoopmatProduct(config, form).describe();
}

}  // namespace vkmoye::gen
