// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/thin.hpp"

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/products/sources/tile_reads.hpp"
#include "vkmoye/gen/kernels/products/sums/sums_along_k.hpp"

namespace vkmoye::gen {
namespace {

// An operand as a thread reads it.
struct ReadOperand : ThinOperand {
  View registers;  // (k, rows)
  TileReads reads;
};

class ThinProduct {
 public:
  ThinProduct(const GemmThinConfig& config, const GemmForm& form, const std::string& name)
      : config_(config),
        form_(form),
        tile_(thin_tile(config, form)),
        builder_(name, config.threads, to_index(config.subgroup_size)),
        buffers_(builder_, form, extents()),
        large_(read_operand("large", tile_.large, threads(), builder_.thread())),
        small_(read_operand("small", tile_.small, make_layout({config.along_k, std::int64_t{1}}),
                            thread_coordinates(threads(), builder_.thread())[0])),
        sums_(builder_, buffers_, form, threads(),
              {config.n_is_small, tile_.large.block_rows, tile_.large.blocks, config.rows}) {}

  ir::Kernel describe() {
    builder_.describe(
        items_after_form(form_, gen::items(gemm_thin_fields(), config_)),
        "the large operand is read once; the sums of the threads along k are added at "
        "the end");
    const Conditions fits = all_of({large_.reads.fits(), small_.reads.fits()});
    return sums_.kernel([&] {
      buffers_.by_alignment(fits, [&](Moved moved) {
        builder_.loop("k_tile", buffers_.tiles(), [&](const Expr& k_tile) {
          read_tiles(builder_, {&large_.reads}, k_tile, moved);
          // Only for blocks of 1, 2, 4 .. rows it is known that no index wraps.
          const bool in_blocks = is_power_of_two(config_.rows, config_.rows);
          in_blocks ? read_tiles(builder_, {&small_.reads}, k_tile, moved)
                    : small_.reads.read(k_tile, moved, Edges::zero);
          builder_.call("multiply", [&] { multiply(); });
        });
      });
    });
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

  // --- sources: k first, then rows ---

  // `threads`: over (k, rows) of a tile; threads of one number have the same elements.
  ReadOperand read_operand(const char* name, const ThinOperand& x, const Layout& threads,
                           const Expr& thread) {
    const auto tile_of = [this, x](const Expr& k_tile) {
      const View view = x.is_a ? buffers_.a(k_tile) : buffers_.b(k_tile);
      return x.k_contiguous ? view : transpose(view);
    };
    const auto parts = [=, this](Moved moved) -> TilePart {
      const std::int64_t along_k = moved == Moved::in_vectors ? tile_.block_k : 1;
      const TiledCopy copy = make_tiled_copy(threads, make_layout({along_k, x.block_rows}));
      const IntTuple shape = partition(tile_of(0), copy, thread).shape();
      return {copy, vector_of(x, shape, moved), false, registers_of(x, along_k)};
    };
    const View registers =
        builder_.registers(name, sum_type(form_), make_layout({tile_.k, x.rows()}));
    ReadOperand read{x, registers, TileReads(builder_, tile_of, thread, parts)};
    read.reads.hold_in(registers);
    return read;
  }
  // Along k if k is contiguous, else along rows: in a block, or from one to the next. `shape`: that of a thread's
  // elements, ((block of k, of rows), reads along k, across).
  static Vector vector_of(const ThinOperand& x, const IntTuple& shape, Moved moved) {
    if (moved == Moved::one_by_one) return {1};
    if (x.k_contiguous) return {to_index(x.vector)};
    const IntTuple rows = x.block_rows > 1 ? shape.mode(0) : shape;
    return {to_index(x.vector), static_cast<std::size_t>(rows.leaf_count() - 1)};
  }
  // The registers in the order in which they are moved, `along_k` at once along k, then along rows.
  Layout registers_of(const ThinOperand& x, std::int64_t along_k) const {
    const Layout block =
        x.block_rows == 1 ? Layout(along_k) : make_layout({along_k, x.block_rows}, {1, tile_.k});
    return make_layout(block, Layout(tile_.k / along_k, along_k),
                       Layout(x.blocks, tile_.k * x.block_rows));
  }

  // sums(row, s) += large(k, row) * small(k, s), one row of the small operand at a time, so that few of its
  // elements are in registers at once.
  void multiply() {
    const View to = repeat(sums_.view(), 1, tile_.k);  // (row, k, s)
    const View of_large = repeat(permute(large_.registers, {1, 0}), 2, config_.rows);
    const View of_small = repeat(small_.registers, 0, tile_.large.rows());
    builder_.with_title("sums += large * small, over the k of the tile", [&] {
      builder_.apply(
          to, [](const Expr& sum, const Expr& a, const Expr& b) { return multiply_add(a, b, sum); },
          to, of_large, of_small);
    });
  }

  const GemmThinConfig& config_;
  const GemmForm& form_;
  const ThinTile tile_;
  Builder builder_;
  GemmBuffers buffers_;
  ReadOperand large_, small_;
  SumsAlongK sums_;
};

}  // namespace

ir::Kernel gemm_thin(const GemmThinConfig& config, const GemmForm& form, const std::string& name) {
  throw_if_any(name, reasons_against(config, form));
  return ThinProduct(config, form, name).describe();
}

}  // namespace vkmoye::gen
