// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/moves/transpose/transpose_tile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <functional>

#include "vkmoye/gen/kernels/moves/transpose/packed_words.hpp"
#include "vkmoye/layout/algebra.hpp"

namespace vkmoye::gen {
namespace {

using ir::Element;

int log2(std::int64_t power) { return std::countr_zero(static_cast<std::uint64_t>(power)); }

Expr number(std::int64_t value) { return to_index(value); }

Expr as_u32(const Expr& value) { return convert(value, ScalarType::u32); }

// A copy with `lanes` threads side by side, each with `values`.
TiledCopy side_by_side(std::int64_t threads, std::int64_t lanes, IntTuple values) {
  return make_tiled_copy(make_layout({lanes, threads / lanes}), make_layout(values));
}

// The word that starts at bit `bits` of `low` and continues in `high`.
Expr joined(const Expr& low, const Expr& high, const Expr& bits) {
  if (ir::is_constant(bits, 0)) return low;
  const Expr by = as_u32(bits);
  return bit_or(shift_right(low, by), shift_left(shift_left(high, 1), Expr(31) - by));
}

// (columns, groups of rows) -> offset: columns in groups of `across`, spaced so that the first columns of
// neighbouring groups are in different banks. If there are fewer such groups than banks, consecutive groups of rows
// take the remaining banks.
Layout apart(std::int64_t across, std::int64_t groups, std::int64_t row_groups) {
  constexpr std::int64_t kBanks = 32;
  const std::int64_t column = row_groups | 1, step = kBanks / std::min(kBanks, groups);
  std::int64_t run = ceil_div(across * column, step) * step;
  if (run / step % 2 == 0) run += step;
  return Layout({{across, groups}, row_groups}, {{column, run}, 1});
}

// The strides, in words, of columns and of groups of columns.
struct Strides {
  explicit Strides(const Layout& apart)
      : column(apart.leaves()[0].stride), run(apart.leaves()[1].stride) {}
  std::int64_t column, run;
};

// Emits the statements that move one tile.
class Tile {
 public:
  Tile(Builder& k, const TransposeTile& tile, const Tensor& src, const Tensor& dst,
       const View& shared, const Expr& col, const Expr& row, TileRows tile_rows = TileRows::all)
      : builder_(k),
        tile_(tile),
        src_(src),
        dst_(dst),
        shared_(shared),
        tile_rows_(tile_rows),
        tile_row_(row),
        col0_(number(tile.cols) * col),
        row0_(number(tile.rows) * row),
        cols_(src.extent(0)),
        rows_(src.extent(1)) {}

  // Emits body, guarded by the condition that block number `block` of `rows` rows is inside.
  template <class Body>
  void if_rows_inside(std::int64_t rows, const Expr& block, Body body) {
    if (tile_rows_ == TileRows::all) return body();
    builder_.branch({less(row0_ + number(rows) * block, rows_)}, body);
  }

  // --- whole tiles of words ---

  // A thread loads `load` bytes of each of as many rows as a word has elements.
  void load_words() {
    const std::int64_t across = tile_.load / tile_.bytes(), lanes = tile_.cols / across;
    const Strides to(tile_.whole_layout().layout);
    each(lanes, tile_.rows / together(), {"across", "group"},
         [&](const Expr& a, const Expr& group) {
           if_rows_inside(together(), group, [&] {
             once("transpose_block", [&] { load_words_at(a, group, across, to); });
           });
         });
  }

  // A thread stores `store` bytes of a column.
  void store_words() {
    const std::int64_t along = tile_.store / tile_.bytes(), lanes = tile_.rows / along;
    const Layout from = tile_.whole_layout().layout.mode(0);
    each(lanes, tile_.cols, {"along", "column"}, [&](const Expr& b, const Expr& column) {
      if_rows_inside(
          along, b, [&] { once("store_column", [&] { store_words_at(b, column, along, from); }); });
    });
  }

  // --- ragged tiles ---

  // Loads as many rows of each column as a tile has, from the column's first sector on. Values outside src
  // are never stored, so they may be anything.
  void load_ragged() {
    each(tile_.cols, tile_.rows, {"x", "slot"}, [&](const Expr& x, const Expr& slot) {
      const Expr head = builder_.let("head", head_of(col0_ + x));
      const Expr y =
          builder_.let("y", slot + select(less(slot, head), number(tile_.rows), Expr(0)));
      const Expr place = builder_.let("place", (row0_ + y) * cols_ + col0_ + x);
      const Expr last = src_.element_count() - 1;
      const Expr value =
          builder_.load("single", {src_.array.name, {minimum(place, last)}, "elements of src"});
      builder_.store(value, shared_at(in_ring(x, slot)));
    });
  }

  // Stores whole sectors of each column.
  void store_ragged() {
    each(tile_.rows, tile_.cols, {"y", "x"}, [&](const Expr& y, const Expr& x) {
      const Expr col = builder_.let("col", col0_ + x), head = builder_.let("head", head_of(col));
      const Expr row = builder_.let("row", row0_ + head + y);
      builder_.branch({less(col, cols_), less(row, rows_)}, [&] {
        const Expr value =
            builder_.load("transposed", shared_at(in_ring(x, (head + y) % number(tile_.rows))));
        builder_.store(value, {dst_.array.name, {row, col}, "sectors of dst"});
      });
    });
  }

  // Loads words of several elements for store_ragged(): the rows of a tile and one more sector of rows.
  void load_ragged_words() {
    const Strides to(tile_.ragged_layout().layout);
    each(tile_.cols / together(), (tile_.rows + sector()) / together(), {"across", "group"},
         [&](const Expr& i, const Expr& group) {
           std::vector<Expr> rows;
           for (std::int64_t e = 0; e < together(); ++e) rows.push_back(row_of_src(i, group, e));
           store_transposed("word", rows, number(to.run) * i + group, 0, to.column);
         });
  }

  void store_ragged_words() {
    const Layout from = tile_.ragged_layout().layout.mode(0);
    each(tile_.rows / together(), tile_.cols, {"y", "x"}, [&](const Expr& y, const Expr& x) {
      const Expr col = builder_.let("col", col0_ + x), head = builder_.let("head", head_of(col));
      const Expr row = builder_.let("row", row0_ + head + number(together()) * y);
      const Expr word = builder_.let("word", (col * rows_ + row0_ + head) / number(together()) + y);
      const Expr at = evaluate(from, x) + head / number(together()) + y;
      builder_.branch({less(col, cols_), less(row + number(together()), rows_),
                       less(word, dst_.element_count() / number(together()))},
                      [&] {
                        const Expr low = builder_.load("low", shared_at(at));
                        const Expr high = builder_.load("high", shared_at(at + 1));
                        builder_.store(
                            joined(low, high, bits_of(head)),
                            words(dst_, {number(together()) * word}, together(), "sectors of dst"));
                      });
    });
  }

  // Moves the rows before the first sector of each column.
  void store_heads() {
    builder_.branch({equal(tile_row_, 0)}, [&] {
      builder_.with_title(
          "the rows before the first sector of each column, element by element", [&] {
            elementwise(sector(), [&](const Expr& y, const Expr& col) {
              return std::pair(y, Conditions{less(y, builder_.let("head", head_of(col)))});
            });
          });
    });
  }

  // Moves the rows after the last word of each column.
  void store_tails() {
    if (together() == 1) return;
    builder_.branch({less(rows_, row0_ + number(tile_.rows + 1))}, [&] {
      builder_.with_title(
          "the rows after the last whole word of each column, element by element", [&] {
            elementwise(together(), [&](const Expr& y, const Expr& col) {
              const Expr row = builder_.let("row", rows_ - 1 - y);
              const Expr head = builder_.let("head", head_of(col));
              const Expr begins =
                  builder_.let("word_begins", row - (row - head) % number(together()));
              return std::pair(row, Conditions{less(rows_ - begins, number(together() + 1))});
            });
          });
    });
  }

 private:
  std::int64_t together() const { return tile_.together(); }
  std::int64_t sector() const { return tile_.sector(); }

  // The number of rows of `col` before its first sector.
  Expr head_of(const Expr& col) const { return (Expr(0) - col * rows_) % number(sector()); }
  // The first bit of an element in its word.
  Expr bits_of(const Expr& place) const {
    return number(8 * tile_.bytes()) * (place % number(together()));
  }

  Element shared_at(const Expr& at) const { return {shared_.array, {at}, shared_.name}; }

  // Emits body(i, j) for i below `lanes`, which neighbouring threads share, and j below `count`.
  template <class Body>
  void each(std::int64_t lanes, std::int64_t count, std::array<const char*, 2> names, Body body) {
    const std::int64_t at_once = tile_.threads / lanes, rounds = ceil_div(count, at_once);
    const Expr i = builder_.thread() % number(lanes), first = builder_.thread() / number(lanes);
    const auto round = [&](const Expr& j) {
      const Expr side = builder_.let(names[0], i), step = builder_.let(names[1], j);
      if (count % at_once == 0) return body(side, step);
      builder_.branch({less(step, number(count))}, [&] { body(side, step); });
    };
    if (rounds == 1) return round(first);
    builder_.loop("pass", number(rounds),
                  [&](const Expr& z) { round(first + number(at_once) * z); });
  }

  // A function, if tiles with all rows and with some of them have it.
  void once(const char* name, const std::function<void()>& body) {
    tile_.can_lack_rows() ? builder_.call(name, body) : body();
  }

  void load_words_at(const Expr& a, const Expr& group, std::int64_t across, const Strides& to) {
    std::vector<Expr> rows;
    for (std::int64_t e = 0; e < together(); ++e) {
      const Expr row = row0_ + number(together()) * group + number(e);
      rows.push_back(builder_.load(
          fmt::format("row{}", e),
          words(src_, {col0_ + number(across) * a, row}, across, "whole words of src")));
    }
    const Expr at = builder_.let("tile_to", number(to.run) * a + group);
    const auto count = static_cast<std::uint32_t>(tile_.load / 4);
    for (std::uint32_t w = 0; w < count; ++w) {
      std::vector<Expr> of_rows;
      for (const Expr& row : rows) of_rows.push_back(count == 1 ? row : component(row, w));
      store_transposed(fmt::format("word{}", w), of_rows, at, to.column * w * together(),
                       to.column);
    }
  }

  void store_words_at(const Expr& b, const Expr& column, std::int64_t along, const Layout& from) {
    const std::int64_t count = along / together();
    const Expr at = builder_.let("tile_from", evaluate(from, column) + number(count) * b);
    std::vector<Expr> parts;
    for (std::int64_t w = 0; w < count; ++w) {
      parts.push_back(builder_.load(fmt::format("word{}", w), shared_at(at + number(w))));
    }
    builder_.store(ir::vector(parts), words(dst_, {row0_ + number(along) * b, col0_ + column},
                                            along, "whole words of dst"));
  }

  // Transposes one word of each of `rows` and stores the results to the columns from `at` + `offset` on, which
  // are `column` words apart.
  void store_transposed(const std::string& name, const std::vector<Expr>& rows, const Expr& at,
                        std::int64_t offset, std::int64_t column) {
    for (const Expr& word : transposed_words(builder_, name, rows)) {
      builder_.store(word, shared_at(at + number(offset)));
      offset += column;
    }
  }

  // The offset of a slot of column x.
  Expr in_ring(const Expr& x, const Expr& slot) const {
    return swizzled(tile_.ragged_layout().swizzle, number(tile_.rows) * x + slot);
  }

  // Row `e` of group (i, group) of src: a word of any alignment.
  Expr row_of_src(const Expr& i, const Expr& group, std::int64_t e) {
    const Expr words_of_src = src_.element_count() / number(together());
    const Expr row = row0_ + number(together()) * group + number(e);
    const Expr place =
        builder_.let(fmt::format("place{}", e), row * cols_ + col0_ + number(together()) * i);
    const auto word = [&](const char* name, const Expr& at) {
      return builder_.load(fmt::format("{}{}", name, e),
                           words(src_, {number(together()) * minimum(at, words_of_src - 1)},
                                 together(), "words of src"));
    };
    const Expr low = word("low", place / number(together())), bits = bits_of(place);
    if (ir::is_constant(bits, 0)) return low;
    const Expr high = word("high", place / number(together()) + 1);
    return builder_.let(fmt::format("row{}", e), joined(low, high, bits));
  }

  // dst(row, col) = src(col, row), element by element, for up to `count` rows of each column: which(y, col)
  // returns the row and the conditions under which it is moved.
  template <class Which>
  void elementwise(std::int64_t count, Which which) {
    each(tile_.cols, count, {"x", "y"}, [&](const Expr& x, const Expr& y) {
      const Expr col = builder_.let("col", col0_ + x);
      auto [row, where] = which(y, col);
      const Expr of_row = row;
      where.push_back(less(col, cols_));
      where.push_back(less(of_row, rows_));
      builder_.branch(where, [&] {
        const Expr value =
            builder_.load("single", {src_.array.name, {col, of_row}, "ends of columns"});
        builder_.store(value, {dst_.array.name, {of_row, col}, "ends of columns"});
      });
    });
  }

  Builder& builder_;
  const TransposeTile& tile_;
  const Tensor &src_, &dst_;
  const View& shared_;
  const TileRows tile_rows_;
  const Expr tile_row_, col0_, row0_, cols_, rows_;
};

}  // namespace

ComposedLayout TransposeTile::whole_layout() const {
  const std::int64_t across = load / bytes(), along = store / bytes();
  if (together() > 1) return {{}, 0, apart(across, cols / across, rows / together())};
  const int bits = std::min(log2(rows / along), log2(cols / across));
  const Layout plain({cols, rows}, {rows, 1});
  if (bits == 0) return {{}, 0, plain};
  return {Swizzle(bits, log2(along), log2(rows) + log2(across) - log2(along)), 0, plain};
}

ComposedLayout TransposeTile::ragged_layout() const {
  if (together() > 1)
    return {{}, 0, apart(together(), cols / parts / together(), (rows + sector()) / together())};
  const int bits = std::min({5, log2(rows), log2(cols)});
  return {Swizzle(bits, 0, log2(rows)), 0, Layout({cols, rows}, {rows, 1})};
}

std::int64_t min_rows(const TransposeTile& tile) { return tile.sector() + 2 * tile.together(); }

void move_whole(Builder& k, const TransposeTile& tile, const Tensor& src, const Tensor& dst,
                const View& shared, const Expr& col, const Expr& row, TileRows rows) {
  if (tile.together() > 1) {
    Tile words(k, tile, src, dst, shared, col, row, rows);
    const std::string &from = src.array.name, &to = dst.array.name;
    k.with_title(
        fmt::format("copy {} to {}: {} bytes of each of {} rows, transposed into words of columns",
                    from, shared.array, tile.load, tile.together()),
        [&] { words.load_words(); });
    k.barrier();
    k.with_title(fmt::format("copy {} to {}: {} bytes of a column", shared.array, to, tile.store),
                 [&] { words.store_words(); });
    return;
  }
  const std::int64_t across = tile.load / tile.bytes(), along = tile.store / tile.bytes();
  const TiledCopy load = side_by_side(tile.threads, tile.cols / across, {across, along});
  const TiledCopy store = side_by_side(tile.threads, tile.rows / along, {along, 1});
  const View from = gen::tile(src, {tile.cols, tile.rows}, {col, row});
  const View to = gen::tile(dst, {tile.rows, tile.cols}, {row, col});
  const auto in_shared = static_cast<std::uint32_t>(tile.store);
  Tile at(k, tile, src, dst, shared, col, row, rows);
  at.if_rows_inside(along, k.thread() / number(tile.cols / across), [&] {
    k.copy(partition(from, load, k.thread()), partition(shared, load, k.thread()),
           {.edges = Edges::inside,
            .loads_first = true,
            .from_bytes = to_index(tile.load),
            .to_bytes = in_shared});
  });
  k.barrier();
  at.if_rows_inside(along, k.thread() % number(tile.rows / along), [&] {
    k.copy(partition(transpose(shared), store, k.thread()), partition(to, store, k.thread()),
           {.edges = Edges::inside,
            .loads_first = true,
            .from_bytes = in_shared,
            .to_bytes = in_shared});
  });
}

void move_ragged(Builder& k, const TransposeTile& tile, const Tensor& src, const Tensor& dst,
                 const View& shared, const Expr& col, const Expr& row) {
  const std::string load =
      fmt::format("copy {} to {}: of each column, the rows from the first sector of {} on",
                  src.array.name, shared.array, dst.array.name);
  const std::string store =
      fmt::format("copy {} to {}: whole sectors of each column", shared.array, dst.array.name);
  if (tile.together() == 1) {
    Tile ragged(k, tile, src, dst, shared, col, row);
    k.with_title(load, [&] { ragged.load_ragged(); });
    k.barrier();
    k.with_title(store, [&] { ragged.store_ragged(); });
    ragged.store_heads();
    return;
  }
  TransposeTile part = tile;
  part.cols /= tile.parts;
  part.parts = 1;
  const auto move_part = [&](const Expr& part_col) {
    Tile ragged(k, part, src, dst, shared, part_col, row);
    k.with_title(load, [&] { ragged.load_ragged_words(); });
    k.barrier();
    k.with_title(store, [&] { ragged.store_ragged_words(); });
    ragged.store_heads();
    ragged.store_tails();
  };
  if (tile.parts == 1) return move_part(col);
  k.loop("part", number(tile.parts), [&](const Expr& p) {
    move_part(number(tile.parts) * col + p);
    k.barrier();  // before the next part overwrites it
  });
}

}  // namespace vkmoye::gen
