// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/thin.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/products/arrays/buffers.hpp"

namespace vkmoye::gen {
namespace {

// An operand as a thread reads it.
struct ReadOperand : ThinOperand {
  Layout threads;  // over (k, rows) of a tile; threads of one number have the same elements
  Expr thread;     // the number of this one
  View registers;  // (k, rows)
};

class ThinProduct {
 public:
  ThinProduct(const GemmThinConfig& config, const GemmForm& form, const std::string& name)
      : config_(config),
        form_(form),
        tile_(thin_tile(config, form)),
        builder_(name, config.threads, to_index(config.subgroup_size)),
        threads_(threads()),
        at_(thread_coordinates(threads_, builder_.thread())),
        buffers_(builder_, form, extents()),
        large_{tile_.large, threads_, builder_.thread(), registers("large", tile_.large)},
        small_{tile_.small, make_layout({config.along_k, std::int64_t{1}}), at_[0],
               registers("small", tile_.small)} {}

  ir::Kernel describe() {
    builder_.describe(
        items_after_form(form_, gen::items(gemm_thin_fields(), config_)),
        "the large operand is read once; the sums of the threads along k are added at "
        "the end");
    sums_ = builder_.registers("sums", sum_type(form_),
                               make_layout({tile_.large.rows(), config_.rows}));

    builder_.fill(sums_, 0);
    // Checked once, not for each tile, which takes fewer registers: whether rows are aligned to vectors.
    const auto fits = [&](const ReadOperand& x) {
      return builder_.fits(part(x, 0, Moved::in_vectors), vector_of(x, Moved::in_vectors));
    };
    buffers_.if_has_products([&] {
      buffers_.by_alignment(all_of({fits(large_), fits(small_)}), [&](Moved moved) {
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
  // --- threads ---

  std::int64_t across() const { return config_.threads / config_.along_k; }
  // (along k, across k); neighbouring threads are along the contiguous axis of the large operand.
  Layout threads() const {
    return tile_.large.k_contiguous ? make_layout({config_.along_k, across()})
                                    : make_layout({config_.along_k, across()}, {across(), 1});
  }
  // The tile of M, N and K.
  std::array<std::int64_t, 3> extents() const {
    const std::int64_t large = tile_.large.rows() * across(), k = tile_.k * config_.along_k;
    if (config_.n_is_small) return {large, config_.rows, k};
    return {config_.rows, large, k};
  }

  View registers(const char* name, const ThinOperand& x) {
    return builder_.registers(name, sum_type(form_), make_layout({tile_.k, x.rows()}));
  }

  // --- views: k first, then rows ---

  std::int64_t block_k(Moved moved) const { return moved == Moved::in_vectors ? tile_.block_k : 1; }
  View tile_of(const ReadOperand& x, const Expr& k_tile) const {
    const View view = x.is_a ? buffers_.a(k_tile) : buffers_.b(k_tile);
    return x.k_contiguous ? view : transpose(view);
  }
  // A thread's elements of tile number `k_tile`: ((block of k, of rows), reads along k, across).
  View part(const ReadOperand& x, const Expr& k_tile, Moved moved) const {
    const TiledCopy copy = make_tiled_copy(x.threads, make_layout({block_k(moved), x.block_rows}));
    return partition(tile_of(x, k_tile), copy, x.thread);
  }
  // The registers in the order in which they are moved: along k, then along rows.
  View waiting(const ReadOperand& x, Moved moved) const {
    const std::int64_t along_k = block_k(moved);
    const Layout block =
        x.block_rows == 1 ? Layout(along_k) : make_layout({along_k, x.block_rows}, {1, tile_.k});
    return builder_.retile(x.registers, make_layout(block, Layout(tile_.k / along_k, along_k),
                                                    Layout(x.blocks, tile_.k * x.block_rows)));
  }
  // Along k if k is contiguous, else along rows: in a block, or from one to the next.
  Vector vector_of(const ReadOperand& x, Moved moved) const {
    if (moved == Moved::one_by_one) return {1};
    if (x.k_contiguous) return {to_index(x.vector)};
    const IntTuple shape = part(x, 0, moved).shape();
    return {to_index(x.vector), last_leaf(x.block_rows > 1 ? shape.mode(0) : shape)};
  }
  static std::size_t last_leaf(const IntTuple& shape) {
    return static_cast<std::size_t>(shape.leaf_count() - 1);
  }
  // The results, shared by the threads along k: (block of rows, reads across, rows of the small operand).
  View result() const {
    const TiledCopy copy = make_tiled_copy(make_layout({across(), std::int64_t{1}}),
                                           make_layout({tile_.large.block_rows, std::int64_t{1}}));
    return partition(config_.n_is_small ? transpose(buffers_.c()) : buffers_.c(), copy, at_[1]);
  }

  // --- steps ---

  void load(const Expr& k_tile, Moved moved) {
    for (const ReadOperand* x : {&large_, &small_}) {
      const auto copy = [&](Edges edges) {
        builder_.copy(part(*x, k_tile, moved), waiting(*x, moved),
                      {.edges = edges, .vector = vector_of(*x, moved), .vectors_fit = true});
      };
      // Only for blocks of 1, 2, 4 .. rows it is known that no index wraps.
      const bool in_blocks = x == &large_ || is_power_of_two(config_.rows, config_.rows);
      in_blocks ? buffers_.at_edges({tile_of(*x, k_tile)}, copy) : copy(Edges::zero);
    }
  }

  // sums(row, s) += large(k, row) * small(k, s), one row of the small operand at a time, so that few of its
  // elements are in registers at once.
  void multiply() {
    const View to = repeat(sums_, 1, tile_.k);  // (row, k, s)
    const View of_large = repeat(permute(large_.registers, {1, 0}), 2, config_.rows);
    const View of_small = repeat(small_.registers, 0, tile_.large.rows());
    builder_.with_title("sums += large * small, over the k of the tile", [&] {
      builder_.apply(
          to, [](const Expr& sum, const Expr& a, const Expr& b) { return multiply_add(a, b, sum); },
          to, of_large, of_small);
    });
  }

  void write() {
    const View c = result();
    const std::int64_t max_width = widest_access(form_.result);
    const std::int64_t width =
        config_.n_is_small ? config_.rows & -config_.rows : tile_.large.block_rows;
    const auto leaf = config_.n_is_small ? last_leaf(c.shape()) : 0;
    buffers_.write(builder_.retile(sums_, c), c, {to_index(std::min(width, max_width)), leaf});
  }

  const GemmThinConfig& config_;
  const GemmForm& form_;
  const ThinTile tile_;
  Builder builder_;
  const Layout threads_;        // (along k, across k)
  const std::vector<Expr> at_;  // of this thread
  GemmBuffers buffers_;
  ReadOperand large_, small_;
  View sums_;  // registers: (row, s)
};

}  // namespace

ir::Kernel gemm_thin(const GemmThinConfig& config, const GemmForm& form, const std::string& name) {
  throw_if_any(name, reasons_against(config, form));
  return ThinProduct(config, form, name).describe();
}

}  // namespace vkmoye::gen
