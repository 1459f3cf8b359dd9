// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/coopmat.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/products/sources/shared_tile.hpp"
#include "vkmoye/gen/kernels/products/sources/weight_units.hpp"
#include "vkmoye/gen/kernels/products/sums/accumulators.hpp"
#include "vkmoye/tensor/copy_atom.hpp"

namespace vkmoye::gen {
namespace {

using Use = ir::MatrixType::Use;

// Those of `conditions` that are not among `known`.
Conditions beyond(const Conditions& known, const Conditions& conditions) {
  Conditions out;
  for (const Expr& condition : conditions) {
    const auto same = [&](const Expr& other) { return ir::same(other, condition); };
    if (std::none_of(known.begin(), known.end(), same)) out.push_back(condition);
  }
  return out;
}

struct CoopmatOperand : GemmOperand {
  std::optional<SharedTile> tiles = {};  // of the type of the matrices
  Matrices matrices = {};
};

class CoopmatProduct {
 public:
  CoopmatProduct(const GemmCoopmatConfig& config, const GemmForm& form, const std::string& name)
      : config_(config),
        form_(form),
        builder_(name, config.threads(), to_index(config.subgroup_size)),
        buffers_(builder_, form, {config.tile_m, config.tile_n, config.tile_k}, config.strip),
        a_{operand_a(form, config.tile_m)},
        b_{operand_b(form, config.tile_n)},
        sums_(builder_, buffers_, form, accumulator_shape(config, form)) {}

  ir::Kernel describe() {
    builder_.header(
        items_after_form(form_, gen::items(gemm_coopmat_fields(), config_)),
        "matrix units; the next tiles are fetched into registers while these are multiplied");
    declare(a_);
    declare(b_);
    declare_matrices();

    const Conditions fits = all_of({a_.tiles->next.fits(), b_.tiles->next.fits()});
    return sums_.kernel([&] {
      buffers_.by_alignment(fits, [&](Moved moved) {
        moved == Moved::in_vectors ? sum_up_vectors() : sum_up_one_by_one();
      });
    });
  }

 private:
  // --- declarations ---

  void declare(CoopmatOperand& x) {
    const ScalarType type = multiplied_type(form_);
    const std::int64_t pitch = x.along(config_.tile_k) + config_.pad / bytes_of(type);
    const Layout layout(IntTuple{x.rows, config_.tile_k},
                        x.k_contiguous ? IntTuple{pitch, 1} : IntTuple{1, pitch});
    const std::int64_t at_once = stored_at_once(config_, form_, x);
    // A thread's loads from the buffer. If the operands have two types, the wider one is rounded when it is loaded; it
    // has more bytes in the buffer.
    const std::int64_t read = x.in_blocks ? access_words(*form_.weights, config_.blocks)
                                          : std::min(at_once, widest_access(x.type));
    const auto parts = [=, this, &x](std::int64_t of_thread, std::int64_t access) -> TileParts {
      return [=, this, &x](Moved moved) -> TilePart {
        return {staging(x, of_thread), {to_index(access)}, moved == Moved::one_by_one};
      };
    };
    const auto tile_of = [this, &x](const Expr& k_tile) {
      return buffers_.tile_of(x.use, k_tile, x.in_blocks ? words_of_row() : 0);
    };
    x.tiles.emplace(
        builder_, fmt::format("shared_{}", x.name), type, layout,
        TileReads(builder_, tile_of, builder_.thread(),
                  parts(x.in_blocks ? words_of_thread() : at_once, read)),
        x.k_contiguous,
        parts(x.in_blocks ? config_.blocks * form_.weights->elements : at_once, at_once));
    if (x.in_blocks) {
      units_.emplace(builder_, *form_.weights, config_.blocks,
                     decoding_threads(config_, form_).rows);
    }
    x.tiles->next.declare(fmt::format("next_{}", x.name), x.in_blocks ? ScalarType::u16 : type,
                          to_index(x.in_blocks || read == at_once ? read : 1));
  }

  void declare_matrices() {
    const ScalarType type = multiplied_type(form_);
    a_.matrices = operand_matrices(builder_, config_, Use::a, "matrices_a", type,
                                   config_.subgroup_rows() / config_.atom_m, 1);
    b_.matrices = operand_matrices(builder_, config_, Use::b, "matrices_b", type,
                                   config_.subgroup_columns() / config_.atom_n, 1);
  }

  // How threads share a tile, each with `together` consecutive values: of weights in blocks, those of whole blocks.
  TiledCopy staging(const GemmOperand& x, std::int64_t together) const {
    const Layout values = make_layout({together, std::int64_t{1}});
    if (x.in_blocks) {
      const DecodingThreads threads = decoding_threads(config_, form_);
      return make_tiled_copy(make_layout({threads.along, threads.across}), values);
    }
    const std::int64_t side_by_side = x.along(config_.tile_k) / together;
    const std::int64_t stride = side_by_side + config_.pad / kWidestCopy;
    return make_tiled_copy(staging_threads(side_by_side, config_.threads() / side_by_side, stride),
                           values);
  }
  // 16-bit words of blocks of a thread, and of a row of a tile.
  std::int64_t words_of_thread() const { return config_.blocks * form_.weights->bytes / 2; }
  std::int64_t words_of_row() const {
    return words_of_thread() * decoding_threads(config_, form_).along;
  }

  // --- sums += A * B over all tiles of k ---

  void store_next() {
    a_.tiles->store(0, Moved::in_vectors);
    units_ ? b_.tiles->store_decoded(*units_, stored_at_once(config_, form_, b_))
           : b_.tiles->store(0, Moved::in_vectors);
  }
  void multiply() {
    // The steps of one subgroup: those of its part of k.
    const std::uint32_t steps = to_index(config_.tile_k / config_.atom_k / config_.subgroups_k);
    builder_.loop("kk", steps, [&](const Expr& step) {
      const Expr kk = Expr(steps) * sums_.subgroup_k() + step;
      builder_.load(tile(a_.tiles->at(0), {config_.subgroup_rows(), config_.atom_k},
                         {sums_.subgroup_m(), kk}),
                    a_.matrices);
      builder_.load(transpose(tile(b_.tiles->at(0), {config_.subgroup_columns(), config_.atom_k},
                                   {sums_.subgroup_n(), kk})),
                    b_.matrices);
      sums_.add_product(a_.matrices, b_.matrices);
    });
  }
  // Sums over `count` tiles of k, starting with number `first`; `fetch` loads one into registers.
  void sum_up(const char* variable, const Expr& first, const Expr& count,
              const std::function<void(const Expr&)>& fetch) {
    fetch(first);
    builder_.loop(
        variable, count,
        [&](const Expr& i) {
          builder_.barrier();
          store_next();
          builder_.barrier();
          fetch(first + i + 1);
          multiply();
        },
        config_.unroll ? ir::Unroll::free : ir::Unroll::never);
  }
  // Tiles that are inside need no further checks; the rest of k, and tiles at edges, do.
  void sum_up_vectors() {
    const auto inside = [&](const Expr& k_tile) {
      return all_of({builder_.inside(a_.tiles->next.tile(k_tile)),
                     builder_.inside(b_.tiles->next.tile(k_tile))});
    };
    const auto read = [&](const Expr& k_tile, Edges edges) {
      for (const CoopmatOperand* x : {&a_, &b_})
        x->tiles->next.read(k_tile, Moved::in_vectors, edges);
    };
    const Conditions known = inside(0);
    const Expr of_k = buffers_.whole_tiles(), all = buffers_.tiles();
    const Expr whole = builder_.let("whole_tiles", select(conjunction(known), of_k, 0));
    builder_.branch(known, [&] {
      sum_up("k_tile", 0, of_k, [&](const Expr& k_tile) {
        builder_.branch(beyond(known, inside(k_tile)), [&] { read(k_tile, Edges::inside); });
      });
    });
    builder_.branch({less(whole, all)}, [&] {
      sum_up("rest", whole, all - whole, [&](const Expr& k_tile) { read(k_tile, Edges::zero); });
    });
  }
  void sum_up_one_by_one() {
    sum_up("k_tile", 0, buffers_.tiles(), [&](const Expr& k_tile) {
      read_tiles(builder_, {&a_.tiles->next, &b_.tiles->next}, k_tile, Moved::one_by_one);
    });
  }

  const GemmCoopmatConfig& config_;
  const GemmForm& form_;
  Builder builder_;
  GemmBuffers buffers_;
  CoopmatOperand a_, b_;
  GemmAccumulators sums_;
  std::optional<WeightUnits> units_;  // if B is in blocks
};

}  // namespace

ir::Kernel gemm_coopmat(const GemmCoopmatConfig& config, const GemmForm& form,
                        const std::string& name) {
  throw_if_any(name, reasons_against(config, form));
  return CoopmatProduct(config, form, name).describe();
}

}  // namespace vkmoye::gen
