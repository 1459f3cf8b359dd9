// SPDX-License-Identifier: MIT
#include "vkmoye/gen/dsl/exchange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/reasons.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/dsl/fragment_lanes.hpp"
#include "vkmoye/gen/ir/operation.hpp"
#include "vkmoye/layout/algebra.hpp"

namespace vkmoye::gen {
namespace {

// One digit of the number of a lane or of a value in `to`, and the digit in `from` that it comes from.
struct Digit {
  std::int64_t extent;
  std::int64_t step, from;  // place values in the number of a lane or a value
  bool is_lane, was_lane;

  bool crosses() const { return is_lane != was_lane; }
};

// One bit of a digit that crosses. Its extent is a power of two, because it is of lanes on one side.
struct Bit {
  std::int64_t step, from;
};

std::int64_t threads_of(const Layout& layout) { return size(layout.mode(0)); }
std::int64_t values_of(const Layout& layout) { return size(layout.mode(1)); }

std::vector<std::string> reasons_against_each(const Layout& layout, std::uint32_t lanes) {
  if (layout.rank() != 2) {
    return {fmt::format("{} has {} modes, not (thread, value)", to_string(layout), layout.rank())};
  }
  std::vector<std::string> reasons;
  const std::int64_t threads = threads_of(layout);
  if (threads > lanes || !std::has_single_bit(static_cast<std::uint64_t>(threads))) {
    reasons.push_back(fmt::format("{} has {} threads, not a power of two up to the {} lanes",
                                  to_string(layout), threads, lanes));
  }
  if (const auto clash = find_collision(layout)) {
    reasons.push_back(fmt::format("{} has coordinate {} twice, as (thread, value) {} and {}",
                                  to_string(layout), clash->offset, to_string(clash->first),
                                  to_string(clash->second)));
  }
  return reasons;
}

std::vector<std::string> reasons_against_coordinates(const Layout& from, const Layout& to) {
  std::vector<std::int64_t> held;
  for (std::int64_t i = 0; i < size(from); ++i) held.push_back(from(i));
  std::sort(held.begin(), held.end());
  for (std::int64_t i = 0; i < size(to); ++i) {
    if (std::binary_search(held.begin(), held.end(), to(i))) continue;
    return {fmt::format("value {} of thread {} is coordinate {} in {}, which {} does not contain",
                        i / threads_of(to), i % threads_of(to), to(i), to_string(to),
                        to_string(from))};
  }
  return {};
}

struct Digits {
  std::vector<Digit> digits;  // of lanes and of values, each the lowest first
  std::string reason;         // why there are none
};

// The layout from lane + threads * value in `to` to the same number in `from`, split into digits.
// Precondition: the checks above found no reason.
Digits digits_of(const Layout& from, const Layout& to) {
  const std::int64_t threads = threads_of(from);
  Layout moved;
  try {
    moved = composition(left_inverse(from), to);
  } catch (const LayoutError& error) {
    return {{}, fmt::format("the origins of the values do not form a layout: {}", error.what())};
  }
  for (std::int64_t i = 0; i < size(to); ++i) {
    const std::int64_t origin = moved(i);
    if (origin < size(from) && from(origin) == to(i)) continue;
    return {
        {},
        fmt::format("the origins of the values do not form a layout: {} takes number {} from {}",
                    to_string(moved), i, origin)};
  }
  Digits out;
  for (int mode = 0; mode < 2; ++mode) {
    const bool is_lane = mode == 0;
    const Layout one = moved.mode(mode);
    std::int64_t step = 1;
    for (const Mode& leaf : one.leaves()) {
      const auto parts = split_at(leaf, threads);
      if (!parts) {
        return {{},
                fmt::format("{}:{} of the origin lane + {} * value straddles the boundary at {} "
                            "lanes: the register to send would differ between lanes",
                            leaf.extent, leaf.stride, threads, threads)};
      }
      const auto [low, high] = *parts;
      if (low > 1) out.digits.push_back({low, step, leaf.stride, is_lane, /*was_lane=*/true});
      if (high > 1) {
        const std::int64_t value = std::max(leaf.stride, threads) / threads;
        out.digits.push_back({high, step * low, value, is_lane, /*was_lane=*/false});
      }
      step *= leaf.extent;
    }
  }
  return out;
}

std::vector<Bit> crossing_bits(const std::vector<Digit>& digits, bool to_lane) {
  std::vector<Bit> bits;
  for (const Digit& digit : digits) {
    if (!digit.crosses() || digit.is_lane != to_lane) continue;
    for (std::int64_t part = 1; part < digit.extent; part *= 2) {
      bits.push_back({digit.step * part, digit.from * part});
    }
  }
  return bits;
}

// The layout from a number of lanes or values to the number before; `instead` gives the origin of each
// bit of a digit that crosses.
template <class Instead>
Layout before_of(const std::vector<Digit>& digits, bool is_lane, const Instead& instead) {
  std::vector<Layout> modes;
  for (const Digit& digit : digits) {
    if (digit.is_lane != is_lane) continue;
    if (!digit.crosses()) {
      modes.push_back(Layout(IntTuple(digit.extent), IntTuple(digit.from)));
      continue;
    }
    for (std::int64_t part = 1; part < digit.extent; part *= 2) {
      modes.push_back(Layout(IntTuple(2), IntTuple(instead(digit.step * part))));
    }
  }
  return coalesce(make_layout(modes));
}

// Precondition: `digits` are those of an exchange of `threads` threads, which divide `lanes`.
LaneExchange exchange_of_digits(const std::vector<Digit>& digits, std::int64_t threads,
                                std::uint32_t lanes) {
  LaneExchange out;

  // A lane bit that becomes a value bit is swapped with a value bit that becomes a lane bit: with the
  // one that belongs in its place, if there is one, so that no lanes have to be permuted.
  const std::vector<Bit> to_value = crossing_bits(digits, /*to_lane=*/false);
  std::vector<Bit> to_lane = crossing_bits(digits, /*to_lane=*/true);
  for (std::size_t i = 0; i < to_value.size(); ++i) {
    const auto fitting = std::find_if(to_lane.begin(), to_lane.end(),
                                      [&](const Bit& bit) { return bit.step == to_value[i].from; });
    if (fitting != to_lane.end()) std::swap(to_lane[i], *fitting);
    out.rounds.push_back({static_cast<std::uint32_t>(to_value[i].from), to_value[i].step});
  }
  const auto partner = [](const std::vector<Bit>& bits, std::int64_t step,
                          const std::vector<Bit>& others) {
    std::size_t i = 0;
    while (bits[i].step != step) ++i;
    return others[i].from;
  };
  out.values = before_of(digits, /*is_lane=*/false,
                         [&](std::int64_t step) { return partner(to_value, step, to_lane); });
  const Layout within = before_of(digits, /*is_lane=*/true, [&](std::int64_t step) {
    return partner(to_lane, step, to_value);
  });
  out.lanes = coalesce(make_layout(within, Layout(IntTuple(lanes / threads), IntTuple(threads))));
  return out;
}

}  // namespace

bool LaneExchange::moves_lanes() const { return lanes != coalesce(Layout(size(lanes))); }

std::int64_t LaneExchange::shuffles() const {
  const auto halves = static_cast<std::int64_t>(rounds.size()) + (moves_lanes() ? 2 : 0);
  return halves * size(values) / 2;
}

std::vector<std::string> reasons_against_exchange(const Layout& from, const Layout& to,
                                                  std::uint32_t lanes) {
  std::vector<std::string> reasons = reasons_against_each(from, lanes);
  add_all(reasons, reasons_against_each(to, lanes));
  if (from.rank() != 2 || to.rank() != 2) return reasons;
  if (threads_of(from) != threads_of(to) || values_of(from) != values_of(to)) {
    reasons.push_back(fmt::format("{} threads of {} values become {} of {}", threads_of(from),
                                  values_of(from), threads_of(to), values_of(to)));
  }
  if (reasons.empty()) reasons = reasons_against_coordinates(from, to);
  if (!reasons.empty()) return reasons;
  const Digits found = digits_of(from, to);
  if (!found.reason.empty()) reasons.push_back(found.reason);
  return reasons;
}

LaneExchange exchange_of(const Layout& from, const Layout& to, std::uint32_t lanes) {
  return exchange_of_digits(digits_of(from, to).digits, threads_of(from), lanes);
}

View Builder::exchange(const View& registers, const Layout& from, const Layout& to) {
  require_lanes("exchange of " + registers.name);
  const ir::Array& held = array(registers);
  std::vector<std::string> reasons = reasons_against_exchange(from, to, lanes());
  if (!held.is_registers() || held.matrix || held.vector != 1) {
    reasons.push_back(registers.array + " is not an array of single registers");
  }
  if (!ir::is_arithmetic(held.type) || size_of(held.type) < 4) {
    reasons.push_back(
        fmt::format("lanes can exchange f32, f64, i32 and u32, not {}; convert it first",
                    to_string(held.type)));
  }
  if (from.rank() == 2 && size(registers.shape()) != values_of(from)) {
    reasons.push_back(fmt::format("{} has {} values, {} has {}", registers.name,
                                  size(registers.shape()), to_string(from), values_of(from)));
  }
  if (!reasons.empty()) {
    throw LayoutError(
        with_reasons(fmt::format("exchange of {} from {} to {} in subgroups of {}", registers.name,
                                 to_string(from), to_string(to), lanes()),
                     reasons));
  }
  const LaneExchange exchange = exchange_of(from, to, lanes());
  const View moved = composition(registers, exchange.values);
  const Layout& places = moved.axes.front().values;
  const auto element = [&](const Layout& numbers, const Expr& index, std::int64_t number) {
    const Expr at = origin(moved.axes.front()) +
                    evaluate(coalesce(composition(places, numbers)), index) +
                    to_index(places(number));
    return ir::Element{moved.array, {at}, registers.name};
  };
  const std::int64_t count = size(exchange.values);
  for (const LaneExchange::Round& round : exchange.rounds) {
    const std::int64_t step = round.value_step;
    const Layout low({step, count / (2 * step)}, {1, 2 * step});  // pair -> its first value
    const auto body = [&] {
      const Expr is_high = let("is_high", not_equal(bit_and(lane(), round.lane_step), 0));
      unrolled_loop("pair", to_index(count / 2), [&](const Expr& pair) {
        const ir::Element first = element(low, pair, 0), second = element(low, pair, step);
        const Expr a = load("low", first), b = load("high", second);
        const Expr sent = let("sent", select(is_high, a, b));
        const Expr got = subgroup_shuffle_xor("got", sent, round.lane_step);
        store(select(is_high, got, a), first);
        store(select(is_high, b, got), second);
      });
    };
    add({fmt::format("{}: lane ^ {} with value ^ {}", registers.array, round.lane_step, step),
         recorded(body)});
  }
  if (exchange.moves_lanes()) {
    const auto body = [&] {
      const Expr source = let("source", evaluate(exchange.lanes, lane()));
      unrolled_loop("number", to_index(count), [&](const Expr& number) {
        const ir::Element at = element(Layout(count), number, 0);
        store(subgroup_shuffle("got", load("own", at), source), at);
      });
    };
    add({fmt::format("{}: lane l takes what lane {}(l) has", registers.array,
                     to_string(exchange.lanes)),
         recorded(body)});
  }
  return composition(moved, Layout(to.mode(1).shape()));
}

}  // namespace vkmoye::gen
