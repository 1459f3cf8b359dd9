// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/simt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/dsl/mma.hpp"
#include "vkmoye/gen/ir/assumptions.hpp"
#include "vkmoye/gen/kernels/products/arrays/buffers.hpp"
#include "vkmoye/gen/kernels/products/sources/shared_tile.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::gen {
namespace {

struct SimtOperand : GemmOperand {
  std::int64_t pad;                      // elements after the rows of a tile
  std::int64_t values;                   // contiguous rows of a thread
  decltype(&partition_A) partition;      // the part of a shared tile that a thread multiplies
  std::optional<SharedTile> tiles = {};  // of the type of the array
  View fragments = {};                   // registers, (V, R, fragments)
};

class SimtProduct {
 public:
  SimtProduct(const GemmSimtConfig& config, const GemmForm& form, const std::string& name)
      : config_(config),
        form_(form),
        builder_(name, size(config.threads)),
        mma_(make_tiled_mma(config.threads, config.values_m, config.values_n)),
        thread_(builder_.thread()),
        buffers_(builder_, form, {config.tile_m, config.tile_n, config.tile_k}),
        a_{operand_a(form, config.tile_m), config.pad_a, config.values_m, partition_A},
        b_{operand_b(form, config.tile_n), config.pad_b, config.values_n, partition_B} {}

  ir::Kernel describe() {
    builder_.header(items_after_form(form_, config_.items()), why());
    const View tCgC = partition_C(mma_, transpose(buffers_.c()), thread_);  // ((VM,VN), RM, RN)
    sums_ = builder_.make_fragment_like("sums", form_.accumulator, tCgC);
    for (SimtOperand* x : {&a_, &b_}) declare_tiles(*x);
    for (SimtOperand* x : {&a_, &b_}) declare_fragments(*x);

    const Conditions fits = all_of({a_.tiles->next.fits(), b_.tiles->next.fits()});
    return buffers_.kernel(
        {[&] { builder_.assign(sums_, 0); },
         [&] { buffers_.by_alignment(fits, [&](Moved moved) { sum_up(moved); }); },
         [&] { write(tCgC); }});
  }

 private:
  std::string why() const {
    if (config_.stages == 2) {
      return "the next tiles are fetched into registers, then into the other shared tile, while "
             "this one is multiplied";
    }
    return config_.prefetch ? "the next tiles are fetched into registers while these are multiplied"
                            : "each tile is copied, then multiplied";
  }

  void declare_tiles(SimtOperand& x) {
    const std::int64_t step = x.rows + x.pad, tile = step * config_.tile_k;
    const Layout one = make_layout({x.rows, config_.tile_k}, {1, step});
    const Layout two = make_layout({x.rows, config_.tile_k, 2}, {1, step, tile});
    const TileParts parts = [this, &x](Moved moved) -> TilePart {
      const OperandStaging s = operand_staging(config_, x, moved);
      return {make_tiled_copy(make_layout({s.lanes, s.others}), make_layout({s.vector, 1})),
              {to_index(s.vector)}};
    };
    const auto tile_of = [this, &x](const Expr& k_tile) { return buffers_.tile_of(x.use, k_tile); };
    x.tiles.emplace(builder_, fmt::format("shared_{}", x.name), x.type,
                    config_.stages == 2 ? two : one, TileReads(builder_, tile_of, thread_, parts),
                    x.k_contiguous, parts);
    if (config_.prefetch || config_.stages == 2) {
      x.tiles->next.declare(fmt::format("next_{}", x.name), x.type);
    }
  }
  void declare_fragments(SimtOperand& x) {
    const IntTuple shape = multiplied(x, 0).shape();
    x.fragments = builder_.registers(
        fmt::format("fragment_{}", x.name), x.type,
        make_layout(IntTuple{size(shape.mode(0)), size(shape.mode(1)), config_.fragments}));
  }

  // --- views ---

  // The part of the shared tile of stage `at` that this thread multiplies: (VM, RM, bK) or (VN, RN, bK).
  View multiplied(const SimtOperand& x, const Expr& at) const {
    return x.partition(mma_, x.tiles->at(at), thread_);
  }
  // Fragment `number`: (VM, RM) or (VN, RN).
  static View fragment(const SimtOperand& x, const Expr& number) {
    return select(x.fragments, 2, number);
  }

  // --- steps ---

  // The next tiles are number `k_tile` + `ahead`. The sum is not one argument of the call: NVIDIA's compiler then
  // assigns registers worse. On an H200, 4096x4096x4096 of f32 take 2.95 ms so, and else 3.17.
  void load_next(const Expr& k_tile, std::uint32_t ahead, Moved moved) {
    builder_.call(moved == Moved::in_vectors ? "load_next" : "load_next_one_by_one",
                  {{"tile", k_tile}, {"ahead", ahead, 2}}, [&](const Expr& tile, const Expr& more) {
                    read_tiles(builder_, {&a_.tiles->next, &b_.tiles->next}, tile + more, moved);
                  });
  }
  // The shared tiles of stage `at` <- the next tiles.
  void store_next(const Expr& at, Moved moved) {
    builder_.call(moved == Moved::in_vectors ? "store_next" : "store_next_one_by_one",
                  {{"stage", at, to_index(config_.stages)}}, [&](const Expr& stage) {
                    for (const SimtOperand* x : {&a_, &b_}) x->tiles->store(stage, moved);
                  });
  }

  // Fragments `number` <- step kk of the shared tiles of stage `at`.
  void fetch(const Expr& at, const Expr& kk, const Expr& number) {
    for (const SimtOperand* x : {&a_, &b_}) {
      builder_.copy(select(multiplied(*x, at), 2, kk), fragment(*x, number),
                    {.vector = {to_index(fragment_vector(x->type, x->values))}});
    }
  }
  // sums += the product of fragments `number`.
  void multiply_fragments(const Expr& number) {
    builder_.gemm(fragment(a_, number), fragment(b_, number), sums_);
  }
  // sums += the shared tiles of stage `number`.
  void multiply(const Expr& number) {
    builder_.call("multiply", {{"stage", number, to_index(config_.stages)}},
                  [&](const Expr& stage) { multiply_tiles(stage); });
  }
  void multiply_tiles(const Expr& at) {
    const auto step = [&](const Expr& kk) {
      fetch(at, kk, 0);
      multiply_fragments(0);
    };
    const std::int64_t unroll = config_.unroll == 0 ? config_.tile_k : config_.unroll;
    if (unroll == config_.tile_k) return builder_.unrolled_loop("kk", to_index(unroll), step);
    builder_.loop("k0", to_index(config_.tile_k / unroll), [&](const Expr& k0) {
      builder_.unrolled_loop("kk", to_index(unroll),
                             [&](const Expr& kk) { step(to_index(unroll) * k0 + kk); });
    });
  }

  // --- sums += A * B over all tiles of k ---

  void sum_up(Moved moved) {
    const auto for_each_tile = [&](const auto& body) {
      builder_.loop("k_tile", buffers_.tiles(), body);
    };
    if (config_.fragments == 2) return pipelined(for_each_tile, moved);
    if (config_.stages == 2) return overlapped(for_each_tile, moved);
    if (config_.prefetch) return prefetched(for_each_tile, moved);
    for_each_tile([&](const Expr& k_tile) {
      at_edges(builder_, {buffers_.a(k_tile), buffers_.b(k_tile)}, [&](Edges edges) {
        for (const SimtOperand* x : {&a_, &b_}) x->tiles->copy(k_tile, moved, edges);
      });
      builder_.barrier();
      multiply(0);
      builder_.barrier();
    });
  }

  void prefetched(const auto& for_each_tile, Moved moved) {
    load_next(0, 0, moved);
    for_each_tile([&](const Expr& k_tile) {
      builder_.barrier();
      store_next(0, moved);
      builder_.barrier();
      load_next(k_tile, 1, moved);
      multiply(0);
    });
  }

  void overlapped(const auto& for_each_tile, Moved moved) {
    load_next(0, 0, moved);
    store_next(0, moved);
    builder_.barrier();
    for_each_tile([&](const Expr& k_tile) {
      load_next(k_tile, 1, moved);
      multiply(k_tile % 2);
      store_next((k_tile + 1) % 2, moved);
      builder_.barrier();
    });
  }

  // As `overlapped`, but also reads the fragments of the next step while those of this one are multiplied;
  // the barrier is before the last step of a tile.
  void pipelined(const auto& for_each_tile, Moved moved) {
    const auto fetch_next = [&](const Expr& at, const Expr& kk, const Expr& number) {
      builder_.call(
          "read_fragments",
          {{"stage", at, 2}, {"step", kk, to_index(config_.tile_k)}, {"number", number, 2}},
          [&](const auto&... parameters) { fetch(parameters...); });
    };
    const auto multiply_this = [&](const Expr& number) {
      builder_.call("multiply_fragments", {{"number", number, 2}},
                    [&](const Expr& of) { multiply_fragments(of); });
    };
    load_next(0, 0, moved);
    store_next(0, moved);
    builder_.barrier();
    fetch_next(0, 0, 0);
    for_each_tile([&](const Expr& k_tile) {
      const Expr here = k_tile % 2, there = (k_tile + 1) % 2;
      load_next(k_tile, 1, moved);
      builder_.unrolled_loop("kk", to_index(config_.tile_k - 1), [&](const Expr& kk) {
        fetch_next(here, kk + 1, (kk + 1) % 2);
        multiply_this(kk % 2);
      });
      store_next(there, moved);
      builder_.barrier();
      fetch_next(there, 0, 0);
      multiply_this(1);
    });
  }

  // One repetition at a time, so that few elements of C are in registers at once.
  void write(const View& tCgC) {
    const std::int64_t max_width =
        std::max<std::int64_t>(1, config_.vector_bytes / bytes_of(form_.result));
    const Vector along_n{to_index(std::min<std::int64_t>({4, config_.values_n, max_width})), 1};
    builder_.unrolled_loop("r", to_index(size(tCgC.shape().mode(1))), [&](const Expr& r) {
      buffers_.write(select(sums_, 1, r), select(tCgC, 1, r), along_n);
    });
  }

  const GemmSimtConfig& config_;
  const GemmForm& form_;
  Builder builder_;
  const TiledMma mma_;
  const Expr thread_;
  GemmBuffers buffers_;
  SimtOperand a_, b_;
  View sums_;
};

}  // namespace

ir::Kernel gemm_simt(const GemmSimtConfig& config, const GemmForm& form, const std::string& name) {
  throw_if_any(name, reasons_against(config, form));
  return SimtProduct(config, form, name).describe();
}

}  // namespace vkmoye::gen
