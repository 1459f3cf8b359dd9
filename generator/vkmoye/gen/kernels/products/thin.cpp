// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/thin.hpp"

#include <algorithm>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/products/arrays/buffers.hpp"
#include "vkmoye/gen/kernels/products/sources/shared_tile.hpp"
#include "vkmoye/gen/kernels/products/sources/weight_units.hpp"

namespace vkmoye::gen {
namespace {

// What does not depend on the source of the large operand: the sums of the threads along k, and C.
class ThinProduct {
 protected:
  ThinProduct(const GemmThinConfig& config, const GemmForm& form, const std::string& name)
      : config_(config),
        form_(form),
        tile_(thin_tile(config, form)),
        builder_(name, config.threads, to_index(config.subgroup_size)),
        threads_(threads()),
        at_(thread_coordinates(threads_, builder_.thread())),
        buffers_(builder_, form, extents()) {}

  // The sums that `sum_up` adds to 0; then those of the threads along k are added, and the first of them writes C.
  ir::Kernel kernel(const std::string& why, const std::function<void()>& sum_up) {
    const auto& fields = config_.in_blocks ? gemm_quantised_fields() : gemm_thin_fields();
    builder_.header(items_after_form(form_, gen::items(fields, config_)),
                    why + "the sums of the threads along k are added at the end");
    sums_ = builder_.registers("sums", sum_type(form_),
                               make_layout({tile_.large.rows(), config_.rows}));
    return buffers_.kernel(
        {[&] { builder_.assign(sums_, 0); }, sum_up, [&] { add_up_and_write(); }});
  }

  // k first, then rows.
  View tile_of(const ThinOperand& x, const Expr& k_tile) const {
    const View view = x.is_a ? buffers_.a(k_tile) : buffers_.b(k_tile);
    return x.k_contiguous ? view : transpose(view);
  }

 private:
  std::int64_t across() const { return config_.threads / config_.along_k; }
  // Neighbouring threads are along the contiguous axis of the large operand.
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
  void add_up_and_write() {
    if (config_.along_k > 1) builder_.reduce_across(sums_, kSum, threads_, 0);
    builder_.branch({equal(at_[0], 0)}, [&] {
      // (block of rows, reads across, rows of the small operand), shared by the threads along k.
      const std::int64_t block = tile_.large.block_rows;
      const View c = partition(config_.n_is_small ? transpose(buffers_.c()) : buffers_.c(),
                               make_tiled_copy(make_layout({across(), std::int64_t{1}}),
                                               make_layout({block, std::int64_t{1}})),
                               at_[1]);
      const std::int64_t width = config_.n_is_small ? config_.rows & -config_.rows : block;
      const std::int64_t leaf = config_.n_is_small ? c.shape().leaf_count() - 1 : 0;
      buffers_.write(
          builder_.retile(sums_, c), c,
          {to_index(std::min(width, widest_access(form_.result))), static_cast<std::size_t>(leaf)});
    });
  }

 protected:
  const GemmThinConfig& config_;
  const GemmForm& form_;
  const ThinTile tile_;
  Builder builder_;
  const Layout threads_;        // (along k, across k)
  const std::vector<Expr> at_;  // of this thread
  GemmBuffers buffers_;
  View sums_;  // registers: (row of the large operand, row of the small one)
};

// An operand as a thread reads it.
struct ReadOperand : ThinOperand {
  View registers;  // (k, rows)
  TileReads reads;
};

// Both operands are elements, which each thread reads.
class ThinProductOfElements : ThinProduct {
 public:
  ThinProductOfElements(const GemmThinConfig& config, const GemmForm& form, const std::string& name)
      : ThinProduct(config, form, name),
        large_(read_operand("large", tile_.large, threads_, builder_.thread())),
        small_(read_operand("small", tile_.small, make_layout({config.along_k, std::int64_t{1}}),
                            at_[0])) {}

  ir::Kernel describe() {
    const Conditions fits = all_of({large_.reads.fits(), small_.reads.fits()});
    return kernel("the large operand is read once; ", [&] {
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
  // `threads`: over (k, rows) of a tile; threads of one number have the same elements.
  ReadOperand read_operand(const char* name, const ThinOperand& x, const Layout& threads,
                           const Expr& thread) {
    const auto source = [this, x](const Expr& k_tile) { return tile_of(x, k_tile); };
    const auto parts = [=, this](Moved moved) -> TilePart {
      const std::int64_t along_k = moved == Moved::in_vectors ? tile_.block_k : 1;
      const TiledCopy copy = make_tiled_copy(threads, make_layout({along_k, x.block_rows}));
      const IntTuple shape = partition(source(0), copy, thread).shape();
      return {copy, vector_of(x, shape, moved), false, registers_of(x, along_k)};
    };
    const View registers =
        builder_.registers(name, sum_type(form_), make_layout({tile_.k, x.rows()}));
    ReadOperand read{x, registers, TileReads(builder_, source, thread, parts)};
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
    const View to = repeat(sums_, 1, tile_.k);  // (row, k, s)
    const View of_large = repeat(permute(large_.registers, {1, 0}), 2, config_.rows);
    const View of_small = repeat(small_.registers, 0, tile_.large.rows());
    builder_.with_title("sums += large * small, over the k of the tile", [&] {
      builder_.apply(
          to, [](const Expr& sum, const Expr& a, const Expr& b) { return multiply_add(a, b, sum); },
          to, of_large, of_small);
    });
  }

  ReadOperand large_, small_;
};

constexpr std::int64_t kElements = 4;  // of A, that a thread moves at once

// The large operand is blocks of weights, decoded in registers; the small one, A, goes through shared memory.
class ThinProductOfWeights : ThinProduct {
 public:
  ThinProductOfWeights(const GemmThinConfig& config, const GemmForm& form, const std::string& name)
      : ThinProduct(config, form, name),
        units_(builder_, *form.weights, config.reads_k, config.reads_row),
        a_(builder_, "shared_a", shared_type_of_a(config, form),
           Layout(IntTuple{config.rows, {tile_.k, config.along_k}},
                  IntTuple{pitch() * config.along_k, {1, pitch()}}),
           reads_of_a(), /*k_first=*/true, [this](Moved) { return four_of_a(kElements); }),
        b_(reads_of_b()) {
    b_.declare("next_weights", ScalarType::u16, to_index(tile_.large.vector));
    a_.next.declare("next_a", form.a_type);
    elements_ = builder_.registers("elements", ScalarType::f32, make_layout({group()}));
    decoded_ =
        builder_.registers("decoded", ScalarType::f32, make_layout({group(), config.reads_row}));
    if (sums_groups()) {
      of_group_ = builder_.registers("sums_of_group", ScalarType::f32, Layout(config.reads_row));
    }
  }

  ir::Kernel describe() {
    return kernel("the next weights are fetched while these, read once, are decoded in registers; ",
                  [&] { sum_up(); });
  }

 private:
  // 16-bit words of the blocks of a thread.
  std::int64_t words_of_thread() const { return config_.reads_k * form_.weights->bytes / 2; }
  // Whether codes are decoded two at a time, which takes arithmetic of f16, as A does; weights decoded together.
  bool decodes_pairs() const { return form_.a_type == ScalarType::f16; }
  std::int64_t group() const { return decodes_pairs() ? kGroupOfPairs : kElements; }
  // Whether a scale multiplies the sum of a group.
  bool sums_groups() const {
    const WeightFormat& format = *form_.weights;
    return decodes_pairs() && (format.scale || format.sub_scale) && !format.minimum;
  }
  // From the elements of a thread to those of the next in shared memory.
  std::int64_t pitch() const { return tile_.k + config_.pad_of_thread; }

  // Four elements of k of each thread, side by side.
  TilePart four_of_a(std::int64_t at_once, bool one_by_one = false) const {
    return {make_tiled_copy(make_layout({config_.threads, std::int64_t{1}}),
                            make_layout({kElements, std::int64_t{1}})),
            {to_index(at_once)},
            one_by_one};
  }
  TileReads reads_of_a() {
    const auto source = [this](const Expr& k_tile) { return tile_of(tile_.small, k_tile); };
    const auto parts = [this](Moved moved) {
      const bool in_vectors = form_.a_k_contiguous && moved == Moved::in_vectors;
      return four_of_a(in_vectors ? kElements : 1, form_.a_k_contiguous && !in_vectors);
    };
    return {builder_, source, builder_.thread(), parts};
  }
  // The words of the blocks of each thread, of each of its rows of weights.
  TileReads reads_of_b() {
    const auto source = [this](const Expr& k_tile) {
      return buffers_.b_words(k_tile, config_.along_k * words_of_thread());
    };
    const auto parts = [this](Moved moved) -> TilePart {
      return {make_tiled_copy(threads_, make_layout({words_of_thread(), std::int64_t{1}})),
              {to_index(tile_.large.vector)},
              moved == Moved::one_by_one};
    };
    return {builder_, source, builder_.thread(), parts};
  }

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

  // sums(row of weights, row of A) += weights * elements of A, a group at a time.
  void multiply() {
    if (!decodes_pairs()) {
      units_.for_each_weight_group(
          kElements, [&](const std::vector<std::vector<Expr>>& weights, const Expr& first) {
            hold(weights, units_.decoding());
            for_each_row([&](const Expr& row) {
              read_elements(first / to_index(group()), row);
              add_products(select(sums_, 1, row));
            });
          });
      return;
    }
    units_.for_each_group_of_numbers(
        [&](const std::vector<WeightUnits::Numbers>& numbers, const Expr& first) {
          std::vector<std::vector<Expr>> values;
          for (const WeightUnits::Numbers& of_row : numbers) values.push_back(of_row.values);
          hold(values, units_.numbers());
          for_each_row([&](const Expr& row) {
            const View sums = select(sums_, 1, row);
            const View to = sums_groups() ? of_group_ : sums;
            const std::uint32_t groups = to_index(tile_.k / group());
            builder_.call("multiply_group", {{"group", first / to_index(group()), groups}},
                          [&](const Expr& number) {
                            read_elements(number, row);
                            if (sums_groups()) builder_.assign(of_group_, 0);
                            add_products(to);
                          });
            if (sums_groups()) add_group(numbers, sums);
          });
        });
  }
  void for_each_row(const std::function<void(const Expr& row)>& body) {
    builder_.unrolled_loop("row", to_index(config_.rows), body);
  }
  void hold(const std::vector<std::vector<Expr>>& values, const std::string& formula) {
    std::uint32_t at = 0;
    builder_.with_title("decoded <- " + formula, [&] {
      for (const std::vector<Expr>& of_row : values) {
        for (const Expr& value : of_row) {
          builder_.store(value, {decoded_.array, {at++}, "decoded"});
        }
      }
    });
  }
  void read_elements(const Expr& number, const Expr& row) {
    builder_.with_title("elements <- the elements of A for these weights", [&] {
      const View of_thread = tile(transpose(a_.at(0)), {tile_.k, 1}, {at_[0], row});
      builder_.copy(slice(tile(of_thread, {group(), 1}, {number, 0}), {_, 0}), elements_,
                    {.vector = {to_index(kElements)}});
    });
  }
  // to(row of weights) += decoded * elements
  void add_products(const View& to) {
    const View all = repeat(to, 0, group());  // (k, rows of weights)
    builder_.with_title(to.array + " += decoded * elements", [&] {
      builder_.apply(
          all,
          [](const Expr& sum, const Expr& w, const Expr& x) { return multiply_add(w, x, sum); },
          all, decoded_, repeat(elements_, 1, config_.reads_row));
    });
  }
  // sums(row of weights) += scale * sums_of_group
  void add_group(const std::vector<WeightUnits::Numbers>& numbers, const View& sums) {
    builder_.with_title("sums += scale * sums_of_group", [&] {
      for (std::size_t row = 0; row < numbers.size(); ++row) {
        const auto of_row = static_cast<std::int64_t>(row);
        const View sum = slice(sums, of_row);
        builder_.apply(
            sum,
            [&](const Expr& s, const Expr& of_group) {
              return multiply_add(*numbers[row].scale, of_group, s);
            },
            sum, slice(of_group_, of_row));
      }
    });
  }

  WeightUnits units_;
  SharedTile a_;
  TileReads b_;
  View elements_, decoded_;  // a group of k of a row of A, and of rows of weights
  View of_group_;            // registers: the sums of a group, of each row of weights
};

}  // namespace

ir::Kernel gemm_thin(const GemmThinConfig& config, const GemmForm& form, const std::string& name) {
  throw_if_any(name, reasons_against(config, form));
  return config.in_blocks ? ThinProductOfWeights(config, form, name).describe()
                          : ThinProductOfElements(config, form, name).describe();
}

}  // namespace vkmoye::gen
