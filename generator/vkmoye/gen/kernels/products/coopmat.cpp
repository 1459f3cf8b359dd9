// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/coopmat.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
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

struct CoopmatOperand : StagedTile {
  CoopmatOperand(const GemmCoopmatConfig& config, const GemmForm& form, Use use)
      : StagedTile(staged_tile(config, form, use)),
        read{to_index(in_blocks ? access_words(*form.weights, config.blocks)
                                : std::min(at_once, widest_access(type)))} {}
  // A thread's loads from the buffer. If the operands have two types, the wider one is rounded when it is loaded; it
  // has more bytes in the buffer.
  Vector read;
  View shared = {};  // (rows, bK)
  View next = {};    // registers for the next tile, in vectors
  Matrices matrices = {};
};

class CoopmatProduct {
 public:
  CoopmatProduct(const GemmCoopmatConfig& config, const GemmForm& form, const std::string& name)
      : config_(config),
        form_(form),
        builder_(name, config.threads(), to_index(config.subgroup_size)),
        buffers_(builder_, form, {config.tile_m, config.tile_n, config.tile_k}, config.strip),
        a_(config, form, Use::a),
        b_(config, form, Use::b),
        sums_(builder_, buffers_, form, accumulator_shape(config, form)) {}

  ir::Kernel describe() {
    builder_.describe(
        items_after_form(form_, gen::items(gemm_coopmat_fields(), config_)),
        "matrix units; the next tiles are fetched into registers while these are multiplied");
    declare(a_);
    declare(b_);
    declare_matrices();

    const Conditions fits = all_of({builder_.fits(source(a_, 0), a_.read, Edges::zero),
                                    builder_.fits(source(b_, 0), b_.read, Edges::zero)});
    return sums_.kernel([&] {
      buffers_.by_alignment(fits, [&](Moved moved) {
        moved == Moved::in_vectors ? sum_up_vectors() : sum_up_elementwise();
      });
    });
  }

 private:
  // --- declarations ---

  void declare(CoopmatOperand& x) {
    const ScalarType type = unit_type(form_);
    const std::int64_t pitch = x.along() + config_.pad / bytes_of(type);
    x.shared = builder_.shared(fmt::format("shared_{}", x.name), type,
                               Layout(IntTuple{x.rows, x.depth},
                                      x.k_contiguous ? IntTuple{pitch, 1} : IntTuple{1, pitch}));
    if (x.in_blocks) {
      units_.emplace(builder_, *form_.weights, config_.blocks,
                     decoding_threads(config_, form_).rows);
    }
    const bool in_vectors = x.in_blocks || x.read.count == to_index(x.at_once);
    x.next = builder_.make_fragment_like(fmt::format("next_{}", x.name),
                                         x.in_blocks ? ScalarType::u16 : type, source(x, 0),
                                         in_vectors ? x.read.count : 1);
  }

  void declare_matrices() {
    const ScalarType type = unit_type(form_);
    a_.matrices = operand_matrices(builder_, config_, Use::a, "matrices_a", type,
                                   config_.subgroup_rows() / config_.atom_m, 1);
    b_.matrices = operand_matrices(builder_, config_, Use::b, "matrices_b", type,
                                   config_.subgroup_columns() / config_.atom_n, 1);
  }

  // --- views ---

  // How threads share a tile, each with `together` consecutive values: of weights in blocks, those of whole blocks.
  TiledCopy staging(const CoopmatOperand& x, std::int64_t together) const {
    if (x.in_blocks) {
      const DecodingThreads threads = decoding_threads(config_, form_);
      return make_tiled_copy(make_layout({threads.along, threads.across}),
                             make_layout({together, std::int64_t{1}}));
    }
    const std::int64_t side_by_side = x.along() / together;
    const std::int64_t stride = side_by_side + config_.pad / kWidestCopy;
    return make_tiled_copy(staging_threads(side_by_side, config_.threads() / side_by_side, stride),
                           make_layout({together, std::int64_t{1}}));
  }
  std::int64_t words_of_thread() const { return config_.blocks * form_.weights->bytes / 2; }
  // The tile of a buffer; of weights in blocks: (16-bit words, rows).
  View tile_of(const CoopmatOperand& x, const Expr& k_tile) const {
    const std::int64_t words =
        x.in_blocks ? words_of_thread() * decoding_threads(config_, form_).along : 0;
    return buffers_.tile_of(x.use, k_tile, words);
  }
  View source(const CoopmatOperand& x, const Expr& k_tile) const {
    return partition(tile_of(x, k_tile), staging(x, x.in_blocks ? words_of_thread() : x.at_once),
                     builder_.thread());
  }
  View destination(const CoopmatOperand& x) const {
    const std::int64_t weights = x.in_blocks ? config_.blocks * form_.weights->elements : 0;
    return partition(x.k_contiguous ? transpose(x.shared) : x.shared,
                     staging(x, x.in_blocks ? weights : x.at_once), builder_.thread());
  }

  // --- sums += A * B over all tiles of k ---

  void load_next(const Expr& k_tile, Edges edges, bool elementwise) {
    for (const CoopmatOperand* x : {&a_, &b_}) {
      builder_.copy(source(*x, k_tile), x->next,
                    {.edges = edges,
                     .vector = x->read,
                     .vectors_fit = true,
                     .from_elementwise = elementwise});
    }
  }
  void store_next() {
    for (const CoopmatOperand* x : {&a_, &b_}) {
      x->in_blocks ? decode_next()
                   : builder_.copy(x->next, destination(*x), {.vector = {to_index(x->at_once)}});
    }
  }
  // The weights of a thread, rounded to the type of the matrices, 8 at a time.
  void decode_next() {
    const View to = destination(b_);  // (weights of some blocks, 1, rows)
    units_->read(b_.next.array);
    units_->for_each_weight_group(
        b_.at_once, [&](const std::vector<std::vector<Expr>>& weights, const Expr& first) {
          for (std::size_t row = 0; row < weights.size(); ++row) {
            std::vector<Expr> rounded;
            for (const Expr& weight : weights[row]) {
              rounded.push_back(convert(weight, unit_type(form_)));
            }
            const View of_row = slice(to, {_, 0, static_cast<std::int64_t>(row)});
            builder_.store(ir::vector(rounded), take(of_row, first, b_.at_once));
          }
        });
  }
  void multiply() {
    // The steps of one subgroup: those of its part of k.
    const std::uint32_t steps = to_index(config_.tile_k / config_.atom_k / config_.subgroups_k);
    builder_.loop("kk", steps, [&](const Expr& step) {
      const Expr kk = Expr(steps) * sums_.subgroup_k() + step;
      builder_.load(
          tile(a_.shared, {config_.subgroup_rows(), config_.atom_k}, {sums_.subgroup_m(), kk}),
          a_.matrices);
      builder_.load(transpose(tile(b_.shared, {config_.subgroup_columns(), config_.atom_k},
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
      return all_of({builder_.inside(tile_of(a_, k_tile)), builder_.inside(tile_of(b_, k_tile))});
    };
    const Conditions known = inside(0);
    const Expr of_k = buffers_.whole_tiles(), all = buffers_.tiles();
    const Expr whole = builder_.let("whole_tiles", ir::select(conjunction(known), of_k, 0));
    builder_.branch(known, [&] {
      sum_up("k_tile", 0, of_k, [&](const Expr& k_tile) {
        builder_.branch(beyond(known, inside(k_tile)),
                        [&] { load_next(k_tile, Edges::inside, /*elementwise=*/false); });
      });
    });
    builder_.branch({ir::less(whole, all)}, [&] {
      sum_up("rest", whole, all - whole,
             [&](const Expr& k_tile) { load_next(k_tile, Edges::zero, /*elementwise=*/false); });
    });
  }
  void sum_up_elementwise() {
    sum_up("k_tile", 0, buffers_.tiles(), [&](const Expr& k_tile) {
      buffers_.at_edges({tile_of(a_, k_tile), tile_of(b_, k_tile)},
                        [&](Edges edges) { load_next(k_tile, edges, /*elementwise=*/true); });
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
