// SPDX-License-Identifier: MIT
#include "judge/random_kernel.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <optional>

#include "judge/random_product.hpp"
#include "vkmoye/contract/scalar_value.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/layout/swizzle.hpp"
#include "vkmoye/layout/text.hpp"
#include "vkmoye/tensor/tiled_copy.hpp"

namespace vkmoye::judge {
namespace {

using namespace gen;

// How the threads of a workgroup divide a tile.
struct Partition {
  Layout threads, values;
  // Each thread has blocks of `values`; otherwise, elements at the distance of the thread layout.
  bool is_tiled_copy;

  View operator()(const View& tile, const Expr& thread) const {
    return is_tiled_copy ? partition(tile, make_tiled_copy(threads, values), thread)
                         : parallelize(tile, threads, thread);
  }
};

std::optional<Partition> draw_partition(std::int64_t m, std::int64_t n, std::int64_t threads,
                                        Draw& draw) {
  std::vector<Partition> all;
  for (std::int64_t x = 1; x <= threads; x *= 2) {
    const std::int64_t y = threads / x;
    if (m % x != 0 || n % y != 0) continue;
    for (const Layout& numbered : {make_layout({x, y}, {1, x}), make_layout({x, y}, {y, 1})}) {
      all.push_back({numbered, Layout(1), false});
      for (const std::int64_t v : {1, 2, 4}) {
        if (m % (x * v) == 0) all.push_back({numbered, make_layout({v, 1}), true});
        if (n % (y * v) == 0) all.push_back({numbered, make_layout({1, v}), true});
      }
    }
  }
  if (all.empty()) return std::nullopt;
  return draw.one_of(all);
}

enum class Path : std::uint8_t { straight, registers, shared, both };
enum class Ring : std::uint8_t { none, in_time, in_advance, by_registers };
constexpr const char* kPaths[] = {"straight", "registers", "shared", "registers and shared"};
constexpr const char* kRings[] = {"no ring", "ring in time", "ring in advance",
                                  "ring by registers"};

struct Plan {
  bool sums = false;  // sum over all tiles along the rows; else each tile is moved
  ScalarType type = ScalarType::f32;
  bool transposed = false, layers = false, src_steps = false, dst_steps = false;
  std::int64_t threads = 1, m = 1, n = 1;  // of a tile: columns, rows
  Path path = Path::straight;
  Ring ring = Ring::none;
  std::int64_t stages = 1;
  std::optional<ComposedLayout> shared;
  Partition load, store;
  std::uint32_t vector = 1;
  bool asks_inside = false, zero_outside = false, loads_first = false;

  bool has_tile() const { return path == Path::shared || path == Path::both; }
  bool has_registers() const { return path == Path::registers || path == Path::both; }
};

std::string text_of_shared(const Plan& p) {
  if (!p.shared) return "none";
  const Swizzle& swizzle = p.shared->swizzle;
  const std::string layout = to_string(p.shared->layout);
  if (swizzle == Swizzle()) return layout;
  return fmt::format("swizzle({},{},{}) of {}", swizzle.bits(), swizzle.base(), swizzle.shift(),
                     layout);
}

std::string text_of(const Plan& p) {
  return fmt::format(
      "{}{} {}{}{}{}, tile {}x{}, {} threads, {}, {}, {} stages, shared {}, load {} {} {}, store "
      "{} "
      "{} {}, vectors of {}{}{}{}",
      p.sums ? "sums, " : "", p.transposed ? "transposed" : "straight", to_string(p.type),
      p.layers ? ", layers" : "", p.src_steps ? ", steps of src" : "",
      p.dst_steps ? ", steps of dst" : "", p.m, p.n, p.threads, kPaths[static_cast<int>(p.path)],
      kRings[static_cast<int>(p.ring)], p.stages, text_of_shared(p), to_string(p.load.threads),
      to_string(p.load.values), p.load.is_tiled_copy ? "tiled" : "cut", to_string(p.store.threads),
      to_string(p.store.values), p.store.is_tiled_copy ? "tiled" : "cut", p.vector,
      p.asks_inside ? ", asks inside" : "", p.zero_outside ? ", zero outside" : "",
      p.loads_first ? ", loads first" : "");
}

// A padded or swizzled tile in stages, contiguous along the columns or along the rows.
ComposedLayout draw_shared(const Plan& p, Draw& draw) {
  const bool along_columns = draw.chance(2), is_swizzled = draw.chance(3);
  const std::int64_t run = along_columns ? p.m : p.n, runs = along_columns ? p.n : p.m;
  const std::int64_t pad = draw.one_of<std::int64_t>({0, 0, 1, 2, 4});
  const std::int64_t gap = draw.one_of<std::int64_t>({0, 0, 3, 8});
  const std::int64_t step = run + (is_swizzled ? 0 : pad);
  const std::int64_t stage = step * runs + (is_swizzled ? 0 : gap);
  const std::int64_t x = along_columns ? 1 : step, y = along_columns ? step : 1;
  const Layout layout = p.stages == 1 ? make_layout({p.m, p.n}, {x, y})
                                      : make_layout({p.m, p.n, p.stages}, {x, y, stage});
  const Swizzle swizzle = is_swizzled ? Swizzle(2, draw.one_of({0, 1, 2}), 2) : Swizzle();
  return {swizzle, 0, layout};
}

std::optional<Plan> draw_plan(Draw& draw) {
  Plan p;
  p.sums = draw.chance(4);
  p.type = p.sums ? draw.one_of({ScalarType::f32, ScalarType::i32, ScalarType::f64})
                  : draw.one_of({ScalarType::f32, ScalarType::f32, ScalarType::i32, ScalarType::u8,
                                 ScalarType::f16, ScalarType::u16, ScalarType::f64, ScalarType::c64,
                                 ScalarType::bf16});
  p.threads = draw.one_of<std::int64_t>({4, 8, 16, 32});
  p.m = draw.one_of<std::int64_t>({4, 6, 8, 12, 16, 32});
  p.n = draw.one_of<std::int64_t>({4, 8, 12, 16, 32});
  p.path = draw.one_of({Path::straight, Path::registers, Path::shared, Path::shared, Path::both});
  p.transposed = !p.sums && draw.chance(2);
  p.layers = !p.sums && draw.chance(4);
  p.src_steps = draw.chance(4);
  p.dst_steps = draw.chance(4);
  // If the index of the last element of a tile may exceed 2^32, checking it proves nothing.
  p.asks_inside = draw.chance(3) && std::has_single_bit(static_cast<std::uint64_t>(p.m)) &&
                  std::has_single_bit(static_cast<std::uint64_t>(p.n));
  p.zero_outside = draw.chance(3);
  p.loads_first = draw.chance(4) && (p.type == ScalarType::f32 || p.type == ScalarType::i32);
  if (p.has_tile()) {
    p.ring = draw.one_of(
        {Ring::none, Ring::in_time, Ring::in_time, Ring::in_advance, Ring::by_registers});
  }
  if (p.ring == Ring::by_registers) p.path = Path::both;
  if (p.sums && p.ring == Ring::none) p.ring = Ring::in_time;
  const bool several = p.ring == Ring::in_advance || p.ring == Ring::by_registers;
  p.stages = several ? draw.one_of<std::int64_t>({2, 3}) : draw.one_of<std::int64_t>({1, 1, 2, 3});
  if (p.ring == Ring::none || !p.has_tile()) p.stages = 1;
  const auto load = draw_partition(p.m, p.n, p.threads, draw);
  const auto store = p.transposed ? draw_partition(p.n, p.m, p.threads, draw)
                                  : draw_partition(p.m, p.n, p.threads, draw);
  if (!load || !store) return std::nullopt;
  p.load = *load;
  p.store = p.has_tile() ? *store : *load;
  if (p.has_tile()) p.shared = draw_shared(p, draw);
  const bool has_vectors = p.type == ScalarType::f32 || p.type == ScalarType::i32;
  // Elements that are not contiguous cannot be vectors.
  const bool neighbours = p.load.is_tiled_copy && p.store.is_tiled_copy;
  p.vector = has_vectors && neighbours ? draw.one_of<std::uint32_t>({1, 2, 4}) : 1;
  return p;
}

class Author {
 public:
  explicit Author(const Plan& plan)
      : p_(plan), k_("random", static_cast<std::uint32_t>(plan.threads)) {}

  ir::Kernel make() {
    src_ = k_.input("src", p_.type, axes(false, p_.src_steps ? "ld_src" : ""));
    std::vector<Builder::AxisSpec> result = axes(p_.transposed, p_.dst_steps ? "ld_dst" : "");
    if (p_.sums) result[1] = {"part", p_.n, result[1].stride};
    dst_ = k_.output("dst", p_.type, result);
    if (p_.shared) shared_ = k_.shared("tile", p_.type, *p_.shared);
    if (p_.has_registers() || p_.sums) {
      held_ = k_.make_fragment_like("held", p_.type, p_.load(source(0), k_.thread()));
    }
    if (p_.sums) {
      sums_ = k_.make_fragment_like("sums", p_.type, store_part(whole_result(0)));
      read_ = k_.make_fragment_like("read", p_.type, store_part(whole_result(0)));
      k_.assign(*sums_, 0);
    }
    if (p_.loads_first) {  // without rows there is no last one
      k_.branch({ir::not_equal(ir::variable("rows"), 0)}, [&] { follow(); });
    } else {
      follow();
    }
    if (p_.sums) carry(*sums_, store_part(whole_result(0)), {}, false);
    return k_.finish_or_assume_written(dst_, "isl takes too many steps");
  }

 private:
  std::vector<Builder::AxisSpec> axes(bool transposed, const std::string& step) const {
    std::vector<Builder::AxisSpec> out = {{"col", "cols"}, {"row", "rows"}};
    if (transposed) std::swap(out[0], out[1]);
    if (!step.empty()) out[1].stride = Extent(step);
    if (p_.layers) out.push_back({"layer", "layers"});
    return out;
  }

  View cut(const Tensor& tensor, std::int64_t a, std::int64_t b, const Expr& x, const Expr& y) {
    if (!p_.layers) return tile(tensor, {a, b}, {x, y});
    return slice(tile(tensor, {a, b, 1}, {x, y, k_.block_z()}), {_, _, 0});
  }
  View source(const Expr& t) { return cut(src_, p_.m, p_.n, k_.block_x(), t); }
  View whole_result(const Expr& t) {
    return p_.transposed ? cut(dst_, p_.n, p_.m, t, k_.block_x())
                         : cut(dst_, p_.m, p_.n, k_.block_x(), t);
  }
  View stage(const Expr& at) { return p_.stages == 1 ? *shared_ : select(*shared_, 2, at); }
  View store_part(const View& view) { return p_.store(view, k_.thread()); }
  View load_part(const View& view) { return p_.load(view, k_.thread()); }

  std::uint32_t vector_for(const View& view) const {
    const auto leaves = view.axes.front().values.leaves();
    return !leaves.empty() && leaves.front().extent % p_.vector == 0 ? p_.vector : 1;
  }

  // A copy between buffers and parts of `tiles`.
  void carry(const View& from, const View& to, const std::vector<View>& tiles, bool zero) {
    const auto plain = [&](bool inside) {
      CopyOptions options;
      options.edges = inside ? Edges::inside : zero ? Edges::zero : Edges::skip;
      options.loads_first = p_.loads_first && !zero;
      if (options.loads_first && !inside) options.edges = Edges::clamp;
      // Shared memory is declared with one vector width, or as single elements.
      if (p_.has_tile()) options.from_bytes = options.to_bytes = 8;
      if (!options.loads_first) options.vector = {vector_for(from), 0};
      k_.copy(from, to, options);
    };
    if (!p_.asks_inside || tiles.empty()) return plain(false);
    Conditions inside;
    for (const View& view : tiles) {
      for (const Expr& condition : k_.inside(view)) inside.push_back(condition);
      if (!p_.loads_first) continue;
      for (const Expr& condition : k_.aligned(view, 4)) inside.push_back(condition);
    }
    k_.branch(
        inside, [&] { plain(true); }, [&] { plain(false); });
  }

  void load(const Expr& t) { carry(load_part(source(t)), *held_, {source(t)}, true); }
  void keep(const Expr& at) { carry(*held_, load_part(stage(at)), {}, false); }
  // Stage `at` <- tile t.
  void fill(const Expr& t, const Expr& at) {
    if (p_.has_registers()) {
      load(t);
      keep(at);
    } else {
      // Sums read the whole tile, so that elements outside the array must be 0.
      carry(load_part(source(t)), load_part(stage(at)), {source(t)}, p_.zero_outside || p_.sums);
    }
  }
  // The result's tile t <- stage `at`.
  void drain(const Expr& t, const Expr& at) {
    const View tile = stage(at);
    const View part = store_part(p_.transposed ? transpose(tile) : tile);
    if (p_.sums) return add(part, {});
    carry(part, store_part(whole_result(t)), {whole_result(t)}, false);
  }
  void add(const View& part, const std::vector<View>& tiles) {
    carry(part, *read_, tiles, true);
    const Expr one = ir::number(p_.type, 1);
    k_.axpby(one, *read_, one, *sums_);
  }

  // Tile t without shared memory.
  void cross(const Expr& t) {
    if (p_.sums) return add(store_part(source(t)), {source(t)});
    const View from = load_part(source(t));
    // The thread that reads an element writes it.
    const View to = load_part(p_.transposed ? transpose(whole_result(t)) : whole_result(t));
    if (!p_.has_registers()) return carry(from, to, {source(t), whole_result(t)}, false);
    load(t);
    carry(*held_, to, {whole_result(t)}, false);
  }

  void follow() {
    const auto s = static_cast<std::uint32_t>(p_.stages);
    const Expr tiles = (ir::variable("rows") - 1) / static_cast<std::uint32_t>(p_.n) + 1;
    if (p_.ring == Ring::none) {
      if (!p_.has_tile()) return cross(k_.block_y());
      fill(k_.block_y(), 0);
      k_.barrier();
      return drain(k_.block_y(), 0);
    }
    if (!p_.has_tile()) return k_.loop("t", tiles, [&](const Expr& t) { cross(t); });
    switch (p_.ring) {
      case Ring::none: break;
      case Ring::in_time:
        k_.loop("t", tiles, [&](const Expr& t) {
          fill(t, t % s);
          k_.barrier();
          drain(t, t % s);
          if (s == 1) k_.barrier();
        });
        break;
      case Ring::in_advance:
        for (std::uint32_t t = 0; t + 1 < s; ++t) fill(t, t);
        k_.loop("t", tiles, [&](const Expr& t) {
          k_.barrier();
          fill(t + (s - 1), (t + (s - 1)) % s);
          drain(t, t % s);
        });
        break;
      case Ring::by_registers:
        fill(0, 0);
        k_.barrier();
        k_.loop("t", tiles, [&](const Expr& t) {
          load(t + 1);
          drain(t, t % s);
          keep((t + 1) % s);
          k_.barrier();
        });
        break;
    }
  }

  const Plan& p_;
  Builder k_;
  Tensor src_, dst_;
  std::optional<View> shared_, held_, read_, sums_;
};

std::int64_t whole(const Arguments& sizes, const std::string& name, std::int64_t otherwise) {
  const auto found = sizes.find(name);
  return found == sizes.end() ? otherwise : std::get<std::int64_t>(found->second.value);
}

// The result of a launch, element by element from the definition.
std::vector<std::byte> result_of(const Plan& p, const Arguments& sizes, const Buffers& before) {
  const std::int64_t cols = whole(sizes, "cols", 1), rows = whole(sizes, "rows", 1);
  const std::int64_t layers = whole(sizes, "layers", 1);
  const std::int64_t step = whole(sizes, "ld_src", cols);
  const std::int64_t across = p.transposed ? rows : cols;
  const std::int64_t result_step = whole(sizes, "ld_dst", across);
  const std::size_t width = size_of(p.type);
  std::vector<std::byte> out = before[1];
  const auto copy = [&](std::int64_t to, std::int64_t from) {
    std::memcpy(&out[static_cast<std::size_t>(to) * width],
                &before[0][static_cast<std::size_t>(from) * width], width);
  };
  for (std::int64_t l = 0; l < layers && !p.sums; ++l) {
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t c = 0; c < cols; ++c) {
        const std::int64_t to = p.transposed ? c * result_step + r + l * result_step * cols
                                             : r * result_step + c + l * result_step * rows;
        copy(to, c + r * step + l * step * rows);
      }
    }
  }
  for (std::int64_t i = 0; i < p.n && p.sums; ++i) {
    for (std::int64_t c = 0; c < cols; ++c) {
      double sum = 0;
      for (std::int64_t r = i; r < rows; r += p.n) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &before[0][static_cast<std::size_t>(c + r * step) * width], width);
        sum += number_of(p.type, bits);
      }
      const std::uint64_t bits = bits_of(p.type, sum);
      std::memcpy(&out[static_cast<std::size_t>(c + i * result_step) * width], &bits, width);
    }
  }
  return out;
}

}  // namespace

Subject random_kernel(std::uint64_t seed) {
  Draw draw(seed);
  if (draw.chance(16)) return random_product(draw);
  std::optional<Plan> plan;
  while (!plan) plan = draw_plan(draw);
  Subject out{text_of(*plan), Author(*plan).make(), plan->sums, {}};
  out.expected = [p = *plan](const Arguments& sizes, const Buffers& before) {
    return result_of(p, sizes, before);
  };
  return out;
}

}  // namespace vkmoye::judge
