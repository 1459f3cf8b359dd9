#include "vkmoye/gen/kernels/gemm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/dsl/mma.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::gen {
namespace {

// A or B on its way from its buffer into shared memory. "row": m of A, n of B.
struct Operand {
  const char* name;   // of the buffer
  const char* row;    // of a coordinate along the rows, and their number
  bool k_contiguous;  // in the buffer
  std::int64_t rows;  // of a tile
  std::int64_t pad;
  Expr block;  // the tile's number along the rows
  Tensor buffer;
};

// Of alpha and beta: that of the sum, 32 bits or more.
ScalarType factor_type(const GemmForm& form) {
  return form.accumulator == ScalarType::f16 ? ScalarType::f32 : form.accumulator;
}

class Description {
 public:
  Description(const GemmConfig& config, const GemmForm& form, const std::string& name)
      : config_(config),
        form_(form),
        k_(name, static_cast<std::uint32_t>(size(config.threads))),
        mma_(make_tiled_mma(config.threads, config.values_m, config.values_n)) {}

  ir::Kernel make() {
    auto items = config_.items();
    items.insert(items.begin(), {"form", form_text()});
    k_.describe(std::move(items), reason());
    Operand a{"a", "m", form_.a_k_contiguous, config_.tile_m, config_.pad_a, k_.block_y(), {}};
    Operand b{"b", "n", form_.b_k_contiguous, config_.tile_n, config_.pad_b, k_.block_x(), {}};
    for (const char* extent : {"m", "n", "k"}) k_.argument(extent, ScalarType::u32);
    a.buffer = buffer(a, "lda", "stride_a");
    b.buffer = buffer(b, "ldb", "stride_b");
    std::vector<Builder::AxisName> axes = {{"n", "n"}, {"m", "m", "ldc"}};
    if (form_.batched) axes.push_back({"batch", "batch", "stride_c"});
    const Tensor tensor_c =
        form_.beta ? k_.in_out("c", form_.result, axes) : k_.output("c", form_.result, axes);
    const ScalarType factor = factor_type(form_);
    const Expr alpha = k_.argument("alpha", factor);
    std::optional<Expr> beta;
    if (form_.beta) beta = k_.argument("beta", factor);

    shared_a_ = shared("shared_a", a);
    shared_b_ = shared("shared_b", b);
    const View gc =
        transpose(without_batch(tile(tensor_c, extents({config_.tile_n, config_.tile_m}),
                                     coordinates({k_.block_x(), k_.block_y()}))));  // (bM, bN)
    const View tCgC = partition_C(mma_, gc, k_.thread());  // ((VM,VN), RM, RN)
    const View sums = k_.make_fragment_like("sums", form_.accumulator, tCgC);

    k_.fill(sums, 0);
    const Expr tiles = (ir::variable("k") - 1) / number(config_.tile_k) + 1;
    const auto sum_up = [&] {
      if (config_.fragments == 2) {
        pipelined(a, b, sums, tiles);
      } else if (config_.stages == 2) {
        overlapped(a, b, sums, tiles);
      } else if (config_.prefetch) {
        prefetched(a, b, sums, tiles);
      } else {
        simple(a, b, sums, tiles);
      }
    };
    // Chosen once, not for each tile: whether rows begin where vectors may.
    std::vector<Expr> conditions;
    for (const Operand* x : {&a, &b}) {
      for (const Expr& condition : k_.fits(source(*x, 0), {vector_of(*x)})) {
        conditions.push_back(condition);
      }
    }
    const auto sum_up_either_way = [&] {
      k_.branch(conditions, sum_up, [&] {
        vectors_ = false;
        sum_up();
      });
    };
    // BLAS: A and B are not read where alpha is 0, so that a NaN there does not count.
    k_.branch({ir::not_equal(alpha, ir::number(factor, 0))}, sum_up_either_way, [] {});
    write(alpha, sums, beta, tCgC);
    return k_.finish();
  }

 private:
  static std::uint32_t number(std::int64_t value) { return static_cast<std::uint32_t>(value); }

  std::string form_text() const {
    return fmt::format("{},{},{} a={} b={}{}{}", to_string(form_.operand),
                       to_string(form_.accumulator), to_string(form_.result),
                       form_.a_k_contiguous ? 'k' : 'm', form_.b_k_contiguous ? 'k' : 'n',
                       form_.beta ? " beta" : "", form_.batched ? " batch" : "");
  }

  std::string reason() const {
    if (config_.stages == 2) {
      return "the next tiles are fetched into registers, then into the other shared tile, while "
             "this one is multiplied";
    }
    return config_.prefetch ? "the next tiles are fetched into registers while these are multiplied"
                            : "each tile is copied, then multiplied";
  }

  Tensor buffer(const Operand& x, const char* ld, const char* stride) {
    std::vector<Builder::AxisName> axes = {{"k", "k"}, {x.row, x.row, ld}};
    if (!x.k_contiguous) axes = {{x.row, x.row}, {"k", "k", ld}};
    if (form_.batched) axes.push_back({"batch", "batch", stride});
    return k_.input(x.name, form_.operand, axes);
  }

  // A batch is a third axis, of which a workgroup sees one.
  IntTuple extents(std::vector<std::int64_t> of_tile) const {
    if (form_.batched) return IntTuple{of_tile[0], of_tile[1], 1};
    return IntTuple{of_tile[0], of_tile[1]};
  }
  std::vector<Expr> coordinates(std::vector<Expr> of_tile) const {
    if (form_.batched) of_tile.push_back(k_.block_z());
    return of_tile;
  }
  View without_batch(const View& view) const {
    return form_.batched ? slice(view, {_, _, 0}) : view;
  }

  // (rows, bK) or, with two stages, (rows, bK, 2).
  View shared(const std::string& name, const Operand& x) {
    const std::int64_t step = x.rows + x.pad, tile = step * config_.tile_k;
    return k_.shared(name, form_.operand,
                     config_.stages == 2 ? make_layout({x.rows, config_.tile_k, 2}, {1, step, tile})
                                         : make_layout({x.rows, config_.tile_k}, {1, step}));
  }

  // Tile number `k_tile` of an operand, contiguous axis first, and what this thread moves of it.
  View whole(const Operand& x, const Expr& k_tile) const {
    const auto e =
        x.k_contiguous ? extents({config_.tile_k, x.rows}) : extents({x.rows, config_.tile_k});
    const auto c = x.k_contiguous ? coordinates({k_tile, x.block}) : coordinates({x.block, k_tile});
    return without_batch(tile(x.buffer, e, c));
  }
  View source(const Operand& x, const Expr& k_tile) const {
    return partition(whole(x, k_tile), staging(x), k_.thread());
  }
  // The same of a shared tile.
  View destination(const Operand& x, const View& shared_tile) const {
    return partition(x.k_contiguous ? transpose(shared_tile) : shared_tile, staging(x),
                     k_.thread());
  }
  TiledCopy staging(const Operand& x) const {
    const Staging s = staging_of(config_, form_, x.rows, x.k_contiguous, vectors_);
    return make_tiled_copy(make_layout({s.lanes, s.others}), make_layout({s.vector, 1}));
  }
  std::uint32_t vector_of(const Operand& x) const {
    return number(staging_of(config_, form_, x.rows, x.k_contiguous, vectors_).vector);
  }

  // Stage `stage` of a shared array, or the array where it has only one.
  View stage(const View& shared_array, const Expr& stage) const {
    return config_.stages == 2 ? select(shared_array, 2, stage) : shared_array;
  }

  // A tile of each operand, from where elements outside count as 0.
  void load(const Operand& a, const View& to_a, const Operand& b, const View& to_b,
            const Expr& k_tile) {
    const auto load_both = [&](bool inside) {
      const Edges edges = inside ? Edges::inside : Edges::zero;
      k_.copy(source(a, k_tile), to_a,
              {.edges = edges, .vector = {vector_of(a)}, .vectors_fit = true});
      k_.copy(source(b, k_tile), to_b,
              {.edges = edges, .vector = {vector_of(b)}, .vectors_fit = true});
    };
    Conditions inside = k_.inside(whole(a, k_tile));
    for (const Expr& more : k_.inside(whole(b, k_tile))) inside.push_back(more);
    k_.branch(
        inside, [&] { load_both(true); }, [&] { load_both(false); });
  }
  void store(const Operand& x, const View& registers, const View& shared_tile) {
    k_.copy(registers, destination(x, shared_tile), {.vector = {vector_of(x)}});
  }

  // What this thread multiplies of the shared tiles of stage `at`: (VM, RM, bK) and (VN, RN, bK).
  View shared_a(const Expr& at) const {
    return partition_A(mma_, stage(shared_a_, at), k_.thread());
  }
  View shared_b(const Expr& at) const {
    return partition_B(mma_, stage(shared_b_, at), k_.thread());
  }

  // Fragment `number` of an operand: (VM, RM) or (VN, RN).
  View fragment(std::optional<View>& there, const char* name, const View& shared,
                const Expr& number) {
    const IntTuple shape = shared.shape();
    if (!there) {
      there = k_.registers(
          name, form_.operand,
          make_layout(IntTuple{size(shape.mode(0)), size(shape.mode(1)), config_.fragments}));
    }
    return select(*there, 2, number);
  }
  View fragment_a(const Expr& number) {
    return fragment(fragment_a_, "fragment_a", shared_a(0), number);
  }
  View fragment_b(const Expr& number) {
    return fragment(fragment_b_, "fragment_b", shared_b(0), number);
  }

  // Fragments `number` <- step kk of the shared tiles of stage `at`.
  void fetch(const Expr& at, const Expr& kk, const Expr& number) {
    k_.copy(select(shared_a(at), 2, kk), fragment_a(number), {.vector = {wide(config_.values_m)}});
    k_.copy(select(shared_b(at), 2, kk), fragment_b(number), {.vector = {wide(config_.values_n)}});
  }

  // sums += the shared tiles of stage `at`.
  void multiply(const View& sums, const Expr& at) {
    const auto step = [&](const Expr& kk) {
      fetch(at, kk, 0);
      k_.gemm(fragment_a(0), fragment_b(0), sums);
    };
    const std::int64_t unroll = config_.unroll == 0 ? config_.tile_k : config_.unroll;
    if (unroll == config_.tile_k) return k_.unrolled_loop("kk", number(unroll), step);
    k_.loop("k0", number(config_.tile_k / unroll), [&](const Expr& k0) {
      k_.unrolled_loop("kk", number(unroll),
                       [&](const Expr& kk) { step(number(unroll) * k0 + kk); });
    });
  }
  // The elements of a fragment that are read at once.
  std::uint32_t wide(std::int64_t values) const { return number(fragment_vector(form_, values)); }

  void simple(const Operand& a, const Operand& b, const View& sums, const Expr& tiles) {
    k_.loop("k_tile", tiles, [&](const Expr& k_tile) {
      load(a, destination(a, shared_a_), b, destination(b, shared_b_), k_tile);
      k_.barrier();
      multiply(sums, 0);
      k_.barrier();
    });
  }

  // Registers that the next tile of each operand waits in, the first one loaded.
  struct Next {
    View a, b;
  };
  Next load_first(const Operand& a, const Operand& b) {
    const Next next = {registers(next_a_, "next_a", a), registers(next_b_, "next_b", b)};
    load(a, next.a, b, next.b, 0);
    return next;
  }
  // The shared tiles of stage `at` <- those registers.
  void store_next(const Operand& a, const Operand& b, const Next& next, const Expr& at) {
    store(a, next.a, stage(shared_a_, at));
    store(b, next.b, stage(shared_b_, at));
  }

  void prefetched(const Operand& a, const Operand& b, const View& sums, const Expr& tiles) {
    const Next next = load_first(a, b);
    k_.loop("k_tile", tiles, [&](const Expr& k_tile) {
      k_.barrier();
      store_next(a, b, next, 0);
      k_.barrier();
      load(a, next.a, b, next.b, k_tile + 1);
      multiply(sums, 0);
    });
  }

  void overlapped(const Operand& a, const Operand& b, const View& sums, const Expr& tiles) {
    const Next next = load_first(a, b);
    store_next(a, b, next, 0);
    k_.barrier();
    k_.loop("k_tile", tiles, [&](const Expr& k_tile) {
      load(a, next.a, b, next.b, k_tile + 1);
      multiply(sums, k_tile % 2);
      store_next(a, b, next, (k_tile + 1) % 2);
      k_.barrier();
    });
  }

  // As `overlapped`, and the fragments of the next step are read while those of this one are
  // multiplied; the barrier stands before the last step of a tile.
  void pipelined(const Operand& a, const Operand& b, const View& sums, const Expr& tiles) {
    const Next next = load_first(a, b);
    store_next(a, b, next, 0);
    k_.barrier();
    fetch(0, 0, 0);
    k_.loop("k_tile", tiles, [&](const Expr& k_tile) {
      const Expr here = k_tile % 2, there = (k_tile + 1) % 2;
      load(a, next.a, b, next.b, k_tile + 1);
      k_.unrolled_loop("kk", number(config_.tile_k - 1), [&](const Expr& kk) {
        fetch(here, kk + 1, (kk + 1) % 2);
        k_.gemm(fragment_a(kk % 2), fragment_b(kk % 2), sums);
      });
      store_next(a, b, next, there);
      k_.barrier();
      fetch(there, 0, 0);
      k_.gemm(fragment_a(1), fragment_b(1), sums);
    });
  }

  // Registers for one tile of `x`, the same for both ways to move it.
  View registers(std::optional<View>& there, const char* name, const Operand& x) {
    const View moved = source(x, 0);
    if (!there) there = k_.make_fragment_like(name, form_.operand, moved);
    return k_.retile(*there, moved);
  }

  // C = alpha * sums + beta * C, repetition by repetition, so that few elements of C are in
  // registers at a time.
  void write(const Expr& alpha, const View& sums, const std::optional<Expr>& beta,
             const View& tCgC) {
    const auto repetitions = [&](int mode) { return number(size(tCgC.shape().mode(mode))); };
    const View result = k_.make_fragment_like("result", form_.result, select(tCgC, 1, 0));
    const auto vector = number(std::min<std::int64_t>(
        {4, config_.values_n,
         config_.vector_bytes / static_cast<std::int64_t>(size_of(form_.result))}));
    const Vector along_n{std::max(vector, 1u), 1};
    k_.unrolled_loop("r", repetitions(1), [&](const Expr& r) {
      const View c = select(tCgC, 1, r);
      if (beta) k_.copy(c, result, {.edges = Edges::zero, .vector = along_n});
      k_.axpby(alpha, select(sums, 1, r), beta, result);
      k_.copy(result, c, {.vector = along_n});
    });
  }

  const GemmConfig& config_;
  const GemmForm& form_;
  Builder k_;
  TiledMma mma_;
  View shared_a_, shared_b_;
  std::optional<View> fragment_a_, fragment_b_, next_a_, next_b_;
  bool vectors_ = true;  // rows begin where vectors may
};

}  // namespace

ir::Kernel gemm(const GemmConfig& config, const GemmForm& form, const std::string& name) {
  auto reasons = reasons_against(config, form);
  if (!reasons.empty()) throw KernelError(name, std::move(reasons));
  return Description(config, form, name).make();
}

}  // namespace vkmoye::gen
