// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/thin.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/products/parts/buffers.hpp"

namespace vkmoye::gen {
namespace {

class ThinProduct {
 public:
  ThinProduct(const GemmThinConfig& config, const GemmForm& form, const std::string& name)
      : config_(config),
        form_(form),
        tile_(thin_tile(config, form)),
        builder_(name, config.threads, to_index(config.subgroup_size)),
        threads_(threads()),
        at_(thread_coordinates(threads_, builder_.thread())),
        buffers_(builder_, form, extents()) {}

  ir::Kernel describe() {
    builder_.describe(
        items_after_form(form_, gen::items(gemm_thin_fields(), config_)),
        "the large operand is read once; the sums of the threads along k are added at "
        "the end");
    const ScalarType type = sum_type(form_);
    large_ = builder_.registers("large", type, make_layout({tile_.k, tile_.rows}));
    small_ = builder_.registers("small", type, make_layout({tile_.k, config_.rows}));
    sums_ = builder_.registers("sums", type, make_layout({tile_.rows, config_.rows}));

    builder_.fill(sums_, 0);
    // Checked once, not for each tile, which takes fewer registers: whether rows are aligned to vectors.
    const Moved vectors = Moved::in_vectors;
    const Conditions fits = all_of({builder_.fits(large(0, vectors), large_vector(vectors)),
                                    builder_.fits(small(0, vectors), small_vector(vectors))});
    buffers_.if_has_products([&] {
      buffers_.by_alignment(fits, [&](Moved moved) {
        builder_.loop("k_tile", buffers_.tiles(), [&](const Expr& k_tile) {
          load(k_tile, moved);
          builder_.call("multiply", [&] { multiply(); });
        });
      });
    });
    if (config_.along_k > 1) builder_.reduce_across(sums_, kSum, threads_, 0);
    builder_.branch({ir::equal(at_[0], 0)}, [&] { write(); });
    return builder_.finish();
  }

 private:
  bool large_along_k() const {
    return config_.n_is_small ? form_.a_k_contiguous : form_.b_k_contiguous;
  }
  bool small_along_k() const {
    return config_.n_is_small ? form_.b_k_contiguous : form_.a_k_contiguous;
  }

  // --- threads ---

  std::int64_t across() const { return config_.threads / config_.along_k; }
  // (along k, across k); neighbouring threads are along the contiguous axis of the large operand.
  Layout threads() const {
    return large_along_k() ? make_layout({config_.along_k, across()})
                           : make_layout({config_.along_k, across()}, {across(), 1});
  }
  // The tile of M, N and K.
  std::array<std::int64_t, 3> extents() const {
    const std::int64_t large = tile_.rows * across(), k = tile_.k * config_.along_k;
    if (config_.n_is_small) return {large, config_.rows, k};
    return {config_.rows, large, k};
  }

  // --- views: k first, then rows ---

  std::int64_t block_k(Moved moved) const { return moved == Moved::in_vectors ? tile_.block_k : 1; }
  View tile_of(bool is_a, const Expr& k_tile) const {
    const View view = is_a ? buffers_.a(k_tile) : buffers_.b(k_tile);
    return (is_a ? form_.a_k_contiguous : form_.b_k_contiguous) ? view : transpose(view);
  }
  // A thread's elements of tile number `k_tile`: ((block of k, of rows), reads along k, across).
  View large(const Expr& k_tile, Moved moved) const {
    const TiledCopy copy =
        make_tiled_copy(threads_, make_layout({block_k(moved), tile_.block_row}));
    return partition(tile_of(config_.n_is_small, k_tile), copy, builder_.thread());
  }
  // The same of the small operand, shared by the threads across k: (block of k, reads along k, rows).
  View small(const Expr& k_tile, Moved moved) const {
    const TiledCopy copy = make_tiled_copy(make_layout({config_.along_k, std::int64_t{1}}),
                                           make_layout({block_k(moved), std::int64_t{1}}));
    return partition(tile_of(!config_.n_is_small, k_tile), copy, at_[0]);
  }
  // The results, shared by the threads along k: (block of rows, reads across, rows of the small operand).
  View result() const {
    const TiledCopy copy = make_tiled_copy(make_layout({across(), std::int64_t{1}}),
                                           make_layout({tile_.block_row, std::int64_t{1}}));
    return partition(config_.n_is_small ? transpose(buffers_.c()) : buffers_.c(), copy, at_[1]);
  }
  // The registers in the order in which they are moved: along k, then along rows.
  View waiting_large(Moved moved) const {
    const std::int64_t block = block_k(moved);
    return builder_.retile(
        large_, make_layout({{block, tile_.block_row}, tile_.k / block, config_.reads_row},
                            {{1, tile_.k}, block, tile_.k * tile_.block_row}));
  }
  View waiting_small(Moved moved) const {
    const std::int64_t block = block_k(moved);
    return builder_.retile(
        small_, make_layout({block, tile_.k / block, config_.rows}, {1, block, tile_.k}));
  }
  // Along k if k is contiguous, else along rows: the last leaf of that mode.
  Vector large_vector(Moved moved) const {
    if (moved == Moved::one_by_one) return {1};
    if (large_along_k()) return {to_index(tile_.block_k)};
    const IntTuple block = large(0, moved).shape().mode(0);
    return {to_index(tile_.block_row), static_cast<std::size_t>(block.leaf_count() - 1)};
  }
  Vector small_vector(Moved moved) const {
    if (moved == Moved::one_by_one) return {1};
    if (small_along_k()) return {to_index(tile_.small_vector)};
    return {to_index(tile_.small_vector), last_leaf(small(0, moved))};
  }
  Vector result_vector() const {
    const std::int64_t max_width = widest_access(form_.result);
    if (!config_.n_is_small) return {to_index(std::min(tile_.block_row, max_width))};
    return {to_index(std::min(config_.rows & -config_.rows, max_width)), last_leaf(result())};
  }
  static std::size_t last_leaf(const View& view) {
    return static_cast<std::size_t>(view.shape().leaf_count() - 1);
  }

  // --- steps ---

  void load(const Expr& k_tile, Moved moved) {
    const auto load_large = [&](Edges edges) {
      builder_.copy(large(k_tile, moved), waiting_large(moved),
                    {.edges = edges, .vector = large_vector(moved), .vectors_fit = true});
    };
    const auto load_small = [&](Edges edges) {
      builder_.copy(small(k_tile, moved), waiting_small(moved),
                    {.edges = edges, .vector = small_vector(moved), .vectors_fit = true});
    };
    buffers_.at_edges({tile_of(config_.n_is_small, k_tile)}, load_large);
    // Only for blocks of 1, 2, 4 .. rows it is known that no index wraps.
    const View small_tile = tile_of(!config_.n_is_small, k_tile);
    is_power_of_two(config_.rows, config_.rows) ? buffers_.at_edges({small_tile}, load_small)
                                                : load_small(Edges::zero);
  }

  // sums(row, s) += large(k, row) * small(k, s), one row of the small operand at a time, so that few of its
  // elements are in registers at once.
  void multiply() {
    const View to = repeat(sums_, 1, tile_.k);  // (row, k, s)
    const View of_large = repeat(permute(large_, {1, 0}), 2, config_.rows);
    const View of_small = repeat(small_, 0, tile_.rows);
    builder_.with_title("sums += large * small, over the k of the tile", [&] {
      builder_.apply(
          to, [](const Expr& sum, const Expr& a, const Expr& b) { return multiply_add(a, b, sum); },
          to, of_large, of_small);
    });
  }

  void write() {
    const View c = result();
    buffers_.write(builder_.retile(sums_, c), c, result_vector());
  }

  const GemmThinConfig& config_;
  const GemmForm& form_;
  const ThinTile tile_;
  Builder builder_;
  const Layout threads_;        // (along k, across k)
  const std::vector<Expr> at_;  // of this thread
  GemmBuffers buffers_;
  View large_, small_, sums_;  // registers: (k, row), (k, s), (row, s)
};

}  // namespace

ir::Kernel gemm_thin(const GemmThinConfig& config, const GemmForm& form, const std::string& name) {
  throw_if_any(name, reasons_against(config, form));
  return ThinProduct(config, form, name).describe();
}

}  // namespace vkmoye::gen
