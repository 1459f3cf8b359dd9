// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/quantised.hpp"

#include <optional>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/products/sources/shared_tile.hpp"
#include "vkmoye/gen/kernels/products/sources/weight_units.hpp"
#include "vkmoye/gen/kernels/products/sums/sums_along_k.hpp"

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
        threads_(make_layout({config.along_k, config.threads / config.along_k})),
        buffers_(builder_, form,
                 {config.rows, size(threads_, 1) * config.weights, depth(config, form)}),
        units_(builder_, format_, config.blocks, config.weights),
        a_(builder_, "shared_a", form.a_type,
           Layout(IntTuple{config.rows, {unit(), config.along_k}},
                  IntTuple{pitch() * config.along_k, {1, pitch()}}),
           reads_of_a(), /*k_first=*/true, [this](Moved) { return four_of_a(kGroup); }),
        b_(reads_of_b()) {
    b_.declare("next_weights", ScalarType::u16, access());
    a_.next.declare("next_a", form.a_type);
    elements_ = builder_.registers("elements", ScalarType::f32, make_layout({kGroup}));
    decoded_ =
        builder_.registers("decoded", ScalarType::f32, make_layout({kGroup, config.weights}));
    sums_.emplace(builder_, buffers_, form, threads_,
                  RowsOfSums{.blocks = config.weights, .small = config.rows});
  }

  ir::Kernel describe() {
    builder_.describe(
        items_after_form(form_, gen::items(gemm_quantised_fields(), config_)),
        "the next weights are fetched while these, read once, are decoded in registers; the "
        "sums of the threads along k are added at the end");
    return sums_->kernel([&] { sum_up(); });
  }

 private:
  // Words of 16 bits of a unit, and of an access.
  std::int64_t words_of_unit() const { return config_.blocks * format_.bytes / 2; }
  std::uint32_t access() const { return to_index(access_words(format_, config_.blocks)); }
  // The elements of k of a unit, and from one to the next in shared memory.
  std::int64_t unit() const { return config_.blocks * format_.elements; }
  std::int64_t pitch() const { return unit() + config_.pad_of_unit; }

  // --- sources: k first, then rows ---

  // Four elements of k of each thread, side by side.
  TilePart four_of_a(std::int64_t at_once, bool from_elementwise = false) const {
    return {make_tiled_copy(make_layout({config_.threads, std::int64_t{1}}),
                            make_layout({kGroup, std::int64_t{1}})),
            {to_index(at_once)},
            from_elementwise};
  }
  TileReads reads_of_a() {
    const auto tile_of = [this](const Expr& k_tile) {
      return form_.a_k_contiguous ? buffers_.a(k_tile) : transpose(buffers_.a(k_tile));
    };
    const auto parts = [this](Moved moved) {
      const bool in_vectors = form_.a_k_contiguous && moved == Moved::in_vectors;
      return four_of_a(in_vectors ? kGroup : 1, form_.a_k_contiguous && !in_vectors);
    };
    return {builder_, tile_of, builder_.thread(), parts};
  }
  // The words of the units of each thread, one for each of its rows of weights.
  TileReads reads_of_b() {
    const auto tile_of = [this](const Expr& k_tile) {
      return buffers_.b_words(k_tile, config_.along_k * words_of_unit());
    };
    const auto parts = [this](Moved moved) -> TilePart {
      return {make_tiled_copy(threads_, make_layout({words_of_unit(), std::int64_t{1}})),
              {access()},
              moved == Moved::one_by_one};
    };
    return {builder_, tile_of, builder_.thread(), parts};
  }

  // --- sums += A * B over all tiles of k ---

  void sum_up() {
    const Conditions fits = all_of({a_.next.fits(), b_.fits()});
    const auto fetch = [&](const Expr& k_tile) {
      builder_.call("fetch", {{"tile", k_tile}}, [&](const Expr& tile) {
        buffers_.by_alignment(fits, [&](Moved moved) {
          read_tiles(builder_, {&b_, &a_.next}, tile, moved);
        });
      });
    };
    fetch(0);
    builder_.loop("k_tile", buffers_.tiles(), [&](const Expr& k_tile) {
      builder_.barrier();
      builder_.under_heading("the next tile of A", [&] { a_.store(0, Moved::in_vectors); });
      builder_.barrier();
      units_.read(b_.values().array);
      fetch(k_tile + 1);
      multiply();
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
          const View of_thread = tile(transpose(a_.at(0)), {unit(), 1}, {sums_->at()[0], row});
          builder_.copy(slice(tile(of_thread, {kGroup, 1}, {first / to_index(kGroup), 0}), {_, 0}),
                        elements_, {.vector = {to_index(kGroup)}});
        });
        const View to = repeat(select(sums_->view(), 1, row), 0, kGroup);  // (k, rows of weights)
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
  const Layout threads_;  // (along k, across)
  GemmBuffers buffers_;
  WeightUnits units_;
  SharedTile a_;
  TileReads b_;
  std::optional<SumsAlongK> sums_;
  View elements_, decoded_;  // a group of k of a row of A, and of rows of weights
};

}  // namespace

ir::Kernel gemm_quantised(const GemmQuantisedConfig& config, const GemmForm& form,
                          const std::string& name) {
  throw_if_any(name, reasons_against(config, form));
  return QuantisedProduct(config, form, name).describe();
}

}  // namespace vkmoye::gen
