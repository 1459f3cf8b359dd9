// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/packed.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/products/sums/accumulators.hpp"

namespace vkmoye::gen {
namespace {

using Use = ir::MatrixType::Use;

struct FragmentOperand : GemmOperand {
  PackedForm form;
  Expr block = 0;             // the block of rows of this subgroup
  View prefetched[2] = {};    // registers for this step of k and the next, in vectors
  Matrices matrices[2] = {};  // of one step, or of two if they are prefetched as matrices

  PackedBlocks blocks() const { return {form.type, form.block_elements()}; }
};

class PackedProduct {
 public:
  PackedProduct(const GemmPackedConfig& config, const GemmForm& form, const std::string& name)
      : config_(config),
        form_(form),
        builder_(name, config.threads(), to_index(config.subgroup_size)),
        a_{operand_a(form, config.tile_m()), packed_form(config, form, 'a')},
        b_{operand_b(form, config.tile_n()), packed_form(config, form, 'b')},
        buffers_(builder_, form, {config.tile_m(), config.tile_n(), config.atom_k}, config.strip,
                 {.a = a_.blocks(), .b = b_.blocks()}),
        sums_(builder_, buffers_, form, accumulator_shape(config, form)) {}

  ir::Kernel describe() {
    builder_.header(
        items_after_form(form_, gen::items(gemm_packed_fields(), config_)),
        "operands in fragment order: one step of k is read while another is multiplied");
    place(a_, Expr(to_index(config_.subgroups_m)) * buffers_.tile_m() + sums_.subgroup_m());
    place(b_, Expr(to_index(config_.subgroups_n)) * buffers_.tile_n() + sums_.subgroup_n());
    declare_registers(a_);
    declare_registers(b_);
    return sums_.kernel([&] { sum_up(); });
  }

 private:
  // --- declarations ---

  void declare_registers(FragmentOperand& x) {
    for (const int stage : {0, 1}) {
      if (prefetches_words()) {
        x.prefetched[stage] =
            builder_.make_fragment_like(fmt::format("next_{}{}", x.name, stage), x.form.type,
                                        of_lane(x, 0, 0), vector(x).count);
      }
      if (prefetches_words() && stage == 1) continue;
      x.matrices[stage] =
          operand_matrices(builder_, config_, x.use, fmt::format("matrices_{}{}", x.name, stage),
                           x.form.type, x.form.group, 1);
      builder_.assume_order(x.matrices[stage], fmt::format("that in which {} was packed", x.name));
    }
  }

  // Subgroups past the last block of rows read the last one again; their results are outside C.
  void place(FragmentOperand& x, const Expr& block) {
    x.block = builder_.let(fmt::format("{}_block", x.name), buffers_.block_of_rows(x.use, block));
  }

  // --- sums += A * B over all steps of k ---

  // The elements of this lane: (elements of a matrix, matrices).
  View of_lane(const FragmentOperand& x, const Expr& k_block, std::int64_t step) const {
    const std::int64_t fragment = x.form.fragment_elements();
    const View block = buffers_.packed_block(x.use, k_block, x.block);
    const View of_step = tile(block, {fragment * x.form.group}, {to_index(step)});
    return partition(of_step,
                     make_tiled_copy(make_layout({config_.subgroup_size}),
                                     make_layout({fragment / config_.subgroup_size})),
                     builder_.lane());
  }

  // The elements of a lane that are moved at once.
  Vector vector(const FragmentOperand& x) const {
    const std::int64_t held = x.form.fragment_elements() / config_.subgroup_size;
    return {to_index(std::min(held, widest_access(x.form.type)))};
  }

  // `of`: which block it is, for the title.
  void read(int stage, const Expr& k_block, std::int64_t step, const char* of) {
    for (const FragmentOperand* x : {&a_, &b_}) {
      const View to =
          prefetches_words() ? x->prefetched[stage] : builder_.elements(x->matrices[stage]);
      builder_.under_heading(fmt::format("{} of step {} of the {} block", x->title, step, of), [&] {
        builder_.copy(of_lane(*x, k_block, step), to,
                      {.edges = Edges::inside, .vector = vector(*x)});
      });
    }
  }

  bool prefetches_words() const { return config_.prefetch_as == PrefetchAs::words; }

  void multiply(int stage) {
    if (prefetches_words()) {
      for (const FragmentOperand* x : {&a_, &b_}) {
        builder_.under_heading(fmt::format("the words of {} as matrices", x->title), [&] {
          builder_.copy(x->prefetched[stage], builder_.elements(x->matrices[0]),
                        {.vector = vector(*x)});
        });
      }
      stage = 0;
    }
    sums_.add_product(a_.matrices[stage], b_.matrices[stage]);
  }

  // Subgroups that share k alternate between blocks. All of them execute the same number of iterations, so
  // that control flow in the loop is uniform; some of them process one of the remaining blocks afterwards.
  void sum_up() {
    const Expr all = buffers_.k_blocks();
    const KTiles blocks = buffers_.of_slice(all);
    const Expr sharers = to_index(config_.subgroups_k);
    const bool are_shared = config_.subgroups_k > 1;
    const auto number = [&](const Expr& i) {
      return blocks.first + sums_.subgroup_k() + sharers * i;
    };
    const auto inside = [&](const Expr& i) { return minimum(number(i), all - 1); };
    const auto of_lane = [&](const Expr& i) {
      return form_.split_k || are_shared ? inside(i) : number(i);
    };
    const auto multiply_block = [&](const Expr& i, bool reads_next) {
      for (std::int64_t step = 0; step < config_.steps; ++step) {
        const int stage = static_cast<int>(step % 2);
        const bool is_last = step + 1 == config_.steps;
        if (!is_last) read(1 - stage, of_lane(i), step + 1, "same");
        if (is_last && reads_next) read(1 - stage, inside(i + 1), 0, "next");
        multiply(stage);
      }
    };
    const Expr each =
        are_shared ? builder_.let("blocks_each", blocks.count / sharers) : blocks.count;
    read(0, of_lane(0), 0, "first");
    builder_.loop(
        "block", each, [&](const Expr& i) { multiply_block(i, /*reads_next=*/true); },
        ir::Unroll::never);
    if (!are_shared) return;
    builder_.branch({less(sums_.subgroup_k(), blocks.count % sharers)},
                    [&] { multiply_block(each, /*reads_next=*/false); });
  }

  const GemmPackedConfig& config_;
  const GemmForm& form_;
  Builder builder_;
  FragmentOperand a_, b_;
  GemmBuffers buffers_;
  GemmAccumulators sums_;
};

}  // namespace

ir::Kernel gemm_packed(const GemmPackedConfig& config, const GemmForm& form,
                       const std::string& name) {
  throw_if_any(name, reasons_against(config, form));
  return PackedProduct(config, form, name).describe();
}

}  // namespace vkmoye::gen
