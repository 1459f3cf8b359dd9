// SPDX-License-Identifier: MIT
// Packed weights, with subgroups side by side.
//
//   C (512,8192), tiles of 64x64, 8 subgroups side by side: a workgroup computes 64x512 of C
//     shared memory   two tiles of A, 64 rows x 64 k: one is multiplied, the next one stored, and the one after it read
//     a subgroup      decodes 64 rows of weights, 16 k at a time, and multiplies them by all rows of the tile of A
//
// With subgroups along k, as in thin_coopmat.cpp, each workgroup of 64 columns reads A itself: eight times as many
// bytes of A from L2, three times in all.

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/products/arrays/operand.hpp"
#include "vkmoye/gen/kernels/products/sources/packed_weights.hpp"
#include "vkmoye/gen/kernels/products/sources/shared_tile.hpp"
#include "vkmoye/gen/kernels/products/sums/accumulators.hpp"
#include "vkmoye/gen/kernels/products/sums/lane_matrices.hpp"
#include "vkmoye/gen/kernels/products/thin_coopmat.hpp"

namespace vkmoye::gen {
namespace {

using Use = ir::MatrixType::Use;

class PackedAcrossProduct {
 public:
  PackedAcrossProduct(const GemmThinCoopmatConfig& config, const GemmForm& form,
                      const std::string& name)
      : config_(config),
        lanes_a_(*lanes_of(config, form, Use::a).lanes),
        weights_(packed_weights(config, form)),
        builder_(name, config.threads(), to_index(config.subgroup_size)),
        operand_(operand_a(form, config.tile_m)),
        type_(multiplied_type(form)),
        buffers_(builder_, form,
                 {config.tile_m, config.across * config.columns(), depth_of_tile(config, form)}, 1,
                 {.b = PackedBlocks{ScalarType::u32, weights_.words()}}),
        sums_(builder_, buffers_, form, accumulator_shape(config, form)) {
    for (std::int64_t i = 0; i < blocks(); ++i) {
      const std::string name_of_block = blocks() == 1 ? "" : fmt::format("_of_block{}", i);
      packed_.push_back(std::make_unique<PackedWeightTile>(builder_, buffers_, weights_,
                                                           config.reads, name_of_block));
    }
    builder_.header(items_after_form(form, gen::items(gemm_thin_coopmat_fields(), config_)),
                    "weights packed in the order of lanes; subgroups side by side share tiles of A "
                    "in shared memory");
    declare_tile(depth_of_tile(config, form));
    a_ = lane_matrices(builder_, config, "matrices_a", type_,
                       {Use::a, *config.order_a.layout, lanes_a_, config.tile_m, kPackedVector});
    b_ = lane_matrices(
        builder_, config, "matrices_b", type_,
        {Use::b, *config.order_b.layout, weights_.lanes, config.columns(), at_once()});
  }

  ir::Kernel describe() {
    packed_.front()->fill_table();
    return sums_.kernel([&] { sum_up(); });
  }

 private:
  // Packed blocks side by side that are a subgroup's part of B.
  std::int64_t blocks() const { return config_.columns() / config_.tile_n; }
  // Of the 8 consecutive k of a lane, those that are decoded at once: the elements of one matrix; all, if that is a
  // single one, as weights are decoded two at a time.
  std::int64_t at_once() const {
    const std::int64_t of_matrix = size(lanes_a_.k_numbers);
    return of_matrix > 1 ? of_matrix : kPackedVector;
  }
  std::int64_t steps() const { return kPackedVector / at_once(); }

  // (rows, k, 2): parts of k one after the other, so that all lanes read adjacent 16 bytes.
  Layout tile_layout(std::int64_t depth) const {
    const std::int64_t of_part = weights_.depth(), parts = depth / of_part;
    const std::int64_t part = of_part * config_.tile_m;
    return make_layout(Layout(config_.tile_m, of_part), Layout({of_part, parts}, {1, part}),
                       Layout(2, part * parts));
  }

  void declare_tile(std::int64_t depth) {
    const std::int64_t in_row = size(lanes_a_.to_lane.mode(0));
    const TiledCopy staging = make_tiled_copy(make_layout({in_row, config_.threads() / in_row}),
                                              make_layout({kPackedVector, std::int64_t{1}}));
    const auto by_vectors = [=](std::int64_t elements) -> TileParts {
      return [=](Moved moved) -> TilePart {
        return {staging, {to_index(elements)}, moved == Moved::one_by_one};
      };
    };
    const std::int64_t access = std::min(kPackedVector, widest_access(operand_.type));
    const auto tile_of = [this](const Expr& k_tile) {
      const View all = buffers_.a(k_tile);
      return operand_.k_contiguous ? all : transpose(all);
    };
    tile_.emplace(builder_, "shared_a", type_, tile_layout(depth),
                  TileReads(builder_, tile_of, builder_.thread(), by_vectors(access)),
                  /*k_first=*/true, by_vectors(kPackedVector));
    tile_->next.declare("next_a", type_, to_index(access == kPackedVector ? access : 1));
  }

  // --- sums += A * B over all tiles of k ---

  // While a tile is multiplied, the next one is stored, and the one after it is read.
  void sum_up() {
    fetch(0);
    store(0);
    fetch(1);
    for (std::int64_t read = 0; read < config_.reads; ++read) read_weights(0, read);
    builder_.loop(
        "k_tile", buffers_.tiles(),
        [&](const Expr& k_tile) {
          builder_.barrier();
          store(k_tile + 1);
          fetch(k_tile + 2);
          for (std::int64_t read = 0; read < config_.reads; ++read) {
            load_a(k_tile, read);
            for (std::int64_t step = 0; step < steps(); ++step) {
              decode(read, step);
              if (step + 1 == steps()) read_weights(k_tile + 1, read);
              sums_.add_product(steps() == 1 ? a_.matrices : column_of(a_.matrices, to_index(step)),
                                b_.matrices);
            }
          }
        },
        ir::Unroll::never);
  }

  void store(const Expr& k_tile) {
    builder_.call("store_a", {{"tile", k_tile}},
                  [&](const Expr& tile) { tile_->store(tile % 2, Moved::in_vectors); });
  }
  void fetch(const Expr& k_tile) {
    builder_.call("fetch_a", {{"tile", k_tile}}, [&](const Expr& tile) {
      buffers_.by_alignment(tile_->next.fits(), [&](Moved moved) {
        read_tiles(builder_, {&tile_->next}, tile, moved);
      });
    });
  }
  void read_weights(const Expr& k_tile, std::int64_t read) {
    const auto read_blocks = [&](const Expr& tile) {
      const Expr first =
          to_index(config_.subgroups_k()) * (buffers_.first_tile() + tile) + sums_.subgroup_k();
      const Expr subgroup = to_index(config_.across) * buffers_.tile_n() + sums_.subgroup_n();
      for (std::int64_t i = 0; i < blocks(); ++i) {
        packed_[i]->read_part(first, to_index(blocks()) * subgroup + to_index(i), read);
      }
    };
    builder_.call(fmt::format("fetch_part{}_of_weights", read), {{"tile", k_tile}}, read_blocks);
  }
  void decode(std::int64_t read, std::int64_t step) {
    const std::string formula = packed_.front()->formula();
    builder_.with_title(fmt::format("{}, step {} of part {}", formula, step, read), [&] {
      for (std::int64_t i = 0; i < blocks(); ++i) {
        packed_[i]->decode_part(
            tile(b_.elements, {at_once(), 1, weights_.rows_of_lane()}, {0, 0, to_index(i)}), read,
            step * at_once());
      }
    });
  }
  void load_a(const Expr& k_tile, std::int64_t read) {
    const Expr number = to_index(config_.reads) * sums_.subgroup_k() + to_index(read);
    const View part =
        tile(transpose(tile_->at(k_tile % 2)), {weights_.depth(), config_.tile_m}, {number, 0});
    const View of_lane = partition(
        part, make_tiled_copy(lanes_a_.to_lane, make_layout({kPackedVector, std::int64_t{1}})),
        builder_.lane());
    builder_.copy(of_lane, a_.elements, {.loads_first = true});
  }

  const GemmThinCoopmatConfig& config_;
  FragmentLanes lanes_a_;
  PackedWeights weights_;
  Builder builder_;
  GemmOperand operand_;
  ScalarType type_;
  GemmBuffers buffers_;
  GemmAccumulators sums_;
  std::vector<std::unique_ptr<PackedWeightTile>> packed_;  // of each block side by side
  std::optional<SharedTile> tile_;
  LaneMatrices a_, b_;
};

}  // namespace

ir::Kernel gemm_packed_across(const GemmThinCoopmatConfig& config, const GemmForm& form,
                              const std::string& name) {
  return PackedAcrossProduct(config, form, name).describe();
}

}  // namespace vkmoye::gen
