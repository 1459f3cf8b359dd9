// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/quantised.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/products/arrays/buffers.hpp"
#include "vkmoye/gen/kernels/products/sources/weight_units.hpp"

namespace vkmoye::gen {
namespace {

constexpr std::int64_t kGroup = 4;  // weights that are decoded together

class QuantisedProduct {
 public:
  QuantisedProduct(const GemmQuantisedConfig& config, const GemmForm& form, const std::string& name)
      : config_(config),
        form_(form),
        format_(*form.weights),
        builder_(name, config.threads, to_index(config.subgroup_size)),
        threads_(make_layout({config.along_k, across()})),
        at_(thread_coordinates(threads_, builder_.thread())),
        buffers_(builder_, form, {config.rows, across() * config.weights, depth(config, form)}),
        units_(builder_, format_, config.blocks, config.weights) {}

  ir::Kernel describe() {
    builder_.describe(
        items_after_form(form_, gen::items(gemm_quantised_fields(), config_)),
        "the next weights are fetched while these, read once, are decoded in registers; the "
        "sums of the threads along k are added at the end");
    shared_a_ = builder_.shared("shared_a", form_.a_type,
                                Layout(IntTuple{{unit(), config_.along_k}, config_.rows},
                                       IntTuple{{1, pitch()}, pitch() * config_.along_k}));
    next_b_ = builder_.registers("next_weights", ScalarType::u16,
                                 make_layout({words_of_unit(), config_.weights}), access().count);
    next_a_ = builder_.make_fragment_like("next_a", form_.a_type, part(shared_a_));
    elements_ = builder_.registers("elements", ScalarType::f32, make_layout({kGroup}));
    decoded_ =
        builder_.registers("decoded", ScalarType::f32, make_layout({kGroup, config_.weights}));
    sums_ =
        builder_.registers("sums", ScalarType::f32, make_layout({config_.weights, config_.rows}));

    builder_.fill(sums_, 0);
    const Vector four = {to_index(kGroup)};
    fits_ = all_of(
        {form_.a_k_contiguous ? builder_.fits(part(tile_of_a(0)), four, Edges::zero) : Conditions{},
         builder_.fits(units_of(buffers_.b_words(0, words_of_row())), access(), Edges::zero)});
    buffers_.if_has_products([&] { sum_up(); });
    if (config_.along_k > 1) builder_.reduce_across(sums_, kSum, threads_, 0);
    builder_.branch({ir::equal(at_[0], 0)}, [&] {
      const View c = result();
      buffers_.write(builder_.retile(sums_, c), c, {1});
    });
    return builder_.finish();
  }

 private:
  std::int64_t across() const { return config_.threads / config_.along_k; }
  // Words of 16 bits of a unit, of a row of the tile, and of an access.
  std::int64_t words_of_unit() const { return config_.blocks * format_.bytes / 2; }
  std::int64_t words_of_row() const { return config_.along_k * words_of_unit(); }
  Vector access() const { return {to_index(access_words(format_, config_.blocks))}; }
  // The elements of k of a unit, and from one to the next in shared memory.
  std::int64_t unit() const { return config_.blocks * format_.elements; }
  std::int64_t pitch() const { return unit() + config_.pad_of_unit; }

  // --- views ---

  View tile_of_a(const Expr& k_tile) const {  // (k, rows)
    return form_.a_k_contiguous ? buffers_.a(k_tile) : transpose(buffers_.a(k_tile));
  }
  // Four elements of k of each thread, side by side.
  View part(const View& tile) const {
    return partition(tile,
                     make_tiled_copy(make_layout({config_.threads, std::int64_t{1}}),
                                     make_layout({kGroup, std::int64_t{1}})),
                     builder_.thread());
  }
  // The units of each thread, one for each of its rows of weights.
  View units_of(const View& tile) const {
    const Layout values = make_layout({words_of_unit(), std::int64_t{1}});
    return partition(tile, make_tiled_copy(threads_, values), builder_.thread());
  }
  View result() const {  // (1, rows of weights, rows of A)
    const TiledCopy copy = make_tiled_copy(make_layout({across(), std::int64_t{1}}),
                                           make_layout({std::int64_t{1}, std::int64_t{1}}));
    return partition(buffers_.c(), copy, at_[1]);
  }

  // --- steps ---

  void sum_up() {
    fetch(0);
    builder_.loop("k_tile", buffers_.tiles(), [&](const Expr& k_tile) {
      builder_.barrier();
      builder_.under_heading("the next tile of A", [&] {
        const View to = part(shared_a_);
        builder_.copy(builder_.retile(next_a_, to), to, {.vector = {to_index(kGroup)}});
      });
      builder_.barrier();
      units_.read(next_b_.array);
      fetch(k_tile + 1);
      multiply();
    });
  }

  // Tiles number `k_tile` of A and B, in registers.
  void fetch(const Expr& k_tile) {
    builder_.call("fetch", {{"tile", k_tile}}, [&](const Expr& tile) {
      buffers_.by_alignment(fits_, [&](Moved moved) { fetch(tile, moved); });
    });
  }
  void fetch(const Expr& k_tile, Moved moved) {
    const bool elementwise = moved == Moved::one_by_one;
    const bool in_vectors = form_.a_k_contiguous && !elementwise;
    const View weights = buffers_.b_words(k_tile, words_of_row()), a = tile_of_a(k_tile);
    buffers_.at_edges({weights, a}, [&](Edges edges) {
      const View of_thread = units_of(weights);
      builder_.copy(of_thread, builder_.retile(next_b_, of_thread),
                    {.edges = edges,
                     .vector = access(),
                     .vectors_fit = true,
                     .from_elementwise = elementwise});
      builder_.copy(part(a), builder_.retile(next_a_, part(a)),
                    {.edges = edges,
                     .vector = {in_vectors ? to_index(kGroup) : 1},
                     .vectors_fit = true,
                     .from_elementwise = form_.a_k_contiguous && elementwise});
    });
  }

  // sums(row of weights, row of A) += weights * elements of A, four of k at a time.
  void multiply() {
    units_.for_each_weight_group(kGroup, [&](const std::vector<std::vector<Expr>>& weights,
                                             const Expr& first) {
      std::uint32_t at = 0;
      builder_.with_title("decoded <- " + units_.decoding(), [&] {
        for (const std::vector<Expr>& of_row : weights) {
          for (const Expr& weight : of_row)
            builder_.store(weight, {decoded_.array, {at++}, "decoded"});
        }
      });
      builder_.unrolled_loop("row", to_index(config_.rows), [&](const Expr& row) {
        builder_.with_title("elements <- the elements of A for these weights", [&] {
          const View of_thread = tile(shared_a_, {unit(), 1}, {at_[0], row});
          builder_.copy(slice(tile(of_thread, {kGroup, 1}, {first / to_index(kGroup), 0}), {_, 0}),
                        elements_, {.vector = {to_index(kGroup)}});
        });
        const View to = repeat(select(sums_, 1, row), 0, kGroup);  // (k, rows of weights)
        builder_.with_title("sums += decoded * elements", [&] {
          builder_.apply(
              to,
              [](const Expr& sum, const Expr& w, const Expr& x) { return multiply_add(w, x, sum); },
              to, decoded_, repeat(elements_, 1, config_.weights));
        });
      });
    });
  }

  const GemmQuantisedConfig& config_;
  const GemmForm& form_;
  const WeightFormat& format_;
  Builder builder_;
  const Layout threads_;        // (along k, across)
  const std::vector<Expr> at_;  // of this thread
  GemmBuffers buffers_;
  WeightUnits units_;
  Conditions fits_;  // whether rows of A and B are aligned
  View shared_a_, next_a_, next_b_, elements_, decoded_, sums_;
};

}  // namespace

ir::Kernel gemm_quantised(const GemmQuantisedConfig& config, const GemmForm& form,
                          const std::string& name) {
  throw_if_any(name, reasons_against(config, form));
  return QuantisedProduct(config, form, name).describe();
}

}  // namespace vkmoye::gen
