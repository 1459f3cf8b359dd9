// SPDX-License-Identifier: MIT
#include "vkmoye/gen/ir/recurrence.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <numeric>
#include <unordered_map>

namespace vkmoye::gen::ir {
namespace {

constexpr std::uint64_t kWrap = kUnbounded;  // 2^32

bool may_wrap(const Recurrence& recurrence) { return recurrence.max >= kWrap; }

// How much a value that does not wrap changes in one period, which may be less than 0: 9 - r falls by 1. A value that
// changed by 2^31 or more would wrap in its third period.
std::int64_t change_of(const Recurrence& recurrence) {
  const auto step = static_cast<std::int64_t>(recurrence.step);
  return recurrence.step < kWrap / 2 ? step : step - static_cast<std::int64_t>(kWrap);
}
bool may_fall(const Recurrence& recurrence) { return change_of(recurrence) < 0; }

// a * b, at most 2^63.
std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kMax = std::uint64_t{1} << 63;
  return b != 0 && a > kMax / b ? kMax : a * b;
}

class Follower {
 public:
  explicit Follower(const Recurrences& names) : names_(names) {}

  // Each node is looked at once, however often it is shared.
  std::optional<Recurrence> operator()(const Expr& e) {
    const auto found = done_.find(&*e);
    if (found != done_.end()) return found->second;
    std::optional<Recurrence> recurrence = follow(e);
    if (recurrence && (recurrence->period > kMaxPeriod || recurrence->first > kMaxFirst))
      recurrence.reset();
    // What a node is known to stay below holds where it does not wrap; then it is no more than that.
    if (recurrence && !may_wrap(*recurrence))
      recurrence->max = std::min(recurrence->max, e->bound - 1);
    return done_[&*e] = recurrence;
  }

 private:
  std::optional<Recurrence> follow(const Expr& e) {
    if (e->op == Op::variable) {
      const auto name = names_.find(e->name);
      return name == names_.end() ? Recurrence{} : name->second;
    }
    std::vector<Recurrence> parts;
    Recurrence all;  // what repeats with all parts
    bool repeats = true;
    for (const Expr& operand : e->operands) {
      const auto part = (*this)(operand);
      const auto with = part ? combined(all, *part) : std::nullopt;
      if (!with) return std::nullopt;
      parts.push_back(*part);
      all = *with;
      repeats = repeats && part->step == 0;
    }
    take_range(all, *e, parts);
    if (repeats) return all;
    if (!parts.empty() && e->type == kBoolean) return comparison(*e, parts, all);
    if (!(e->type == kIndex)) return std::nullopt;
    const auto over = [&](const Recurrence& part) {
      return part.step * (all.period / part.period);
    };
    switch (e->op) {
      case Op::add: all.step = (over(parts[0]) + over(parts[1])) % kWrap; return all;
      case Op::subtract:
        all.step = (over(parts[0]) + kWrap - over(parts[1]) % kWrap) % kWrap;
        return all;
      case Op::multiply:
        for (const int constant : {0, 1}) {
          if (!is_constant(e->operands[constant])) continue;
          all.step = over(parts[1 - constant]) * e->operands[constant]->value % kWrap;
          return all;
        }
        return std::nullopt;
      case Op::divide:
      case Op::modulo: return by_number(*e, parts[0], all);
      case Op::minimum: return settled(parts[0], parts[1], *e, all);
      case Op::bit_and: {
        // A mask of the low bits is a remainder.
        for (const int constant : {0, 1}) {
          const Expr& mask = e->operands[constant];
          if (!is_constant(mask) || !std::has_single_bit(mask->value + 1)) continue;
          return remainder(parts[1 - constant], mask->value + 1, all);
        }
        return std::nullopt;
      }
      default: return std::nullopt;
    }
  }

  // The smallest and the largest value of a node.
  static void take_range(Recurrence& all, const Node& node, const std::vector<Recurrence>& parts) {
    const auto known = [&](std::size_t i) { return std::min(parts[i].max, kWrap - 1); };
    switch (node.op) {
      case Op::constant: all.min = all.max = node.value; break;
      case Op::add:
        all.min = parts[0].min + parts[1].min;
        all.max = std::min(parts[0].max, kWrap) + std::min(parts[1].max, kWrap);
        break;
      case Op::multiply:
        all.min = product(parts[0].min, parts[1].min);
        all.max = product(parts[0].max, parts[1].max);
        break;
      case Op::subtract: {
        const bool is_below_0 = parts[0].min < parts[1].max || may_wrap(parts[0]);
        all.min = is_below_0 ? 0 : parts[0].min - parts[1].max;
        all.max = is_below_0 ? kWrap : parts[0].max - parts[1].min;
        break;
      }
      case Op::divide:
        all.max = is_constant(node.operands[1])
                      ? known(0) / std::max<std::uint64_t>(1, node.operands[1]->value)
                      : known(0);
        break;
      case Op::modulo:
      case Op::minimum:
      case Op::bit_and: all.max = std::min(known(0), known(1)); break;
      default: all.max = std::min(node.bound, kWrap) - 1;
    }
    if (may_wrap(all)) all.min = 0;
  }

  // The first round from which on what has `recurrence` and does not wrap is above `limit`.
  static std::uint64_t above(const Recurrence& recurrence, std::uint64_t limit) {
    return recurrence.first + product(recurrence.period, limit / recurrence.step + 1);
  }

  // A comparison of what grows with a number is decided from some round on.
  static std::optional<Recurrence> comparison(const Node& node,
                                              const std::vector<Recurrence>& parts,
                                              Recurrence all) {
    const bool compares = node.op == Op::less || node.op == Op::equal || node.op == Op::not_equal;
    if (!compares || !(node.operands[0]->type == kIndex)) return std::nullopt;
    for (const int constant : {0, 1}) {
      const Expr& number = node.operands[constant];
      const Recurrence& growing = parts[1 - constant];
      if (!is_constant(number) || may_wrap(growing) || may_fall(growing)) continue;
      all.first = std::max(all.first, above(growing, number->value));
      all.period = 1;
      return all;
    }
    return std::nullopt;
  }

  // The smaller of what grows and a number.
  static std::optional<Recurrence> settled(const Recurrence& a, const Recurrence& b,
                                           const Node& node, Recurrence all) {
    const bool first_is_number = is_constant(node.operands[0]);
    if (!first_is_number && !is_constant(node.operands[1])) return std::nullopt;
    const Recurrence& growing = first_is_number ? b : a;
    if (may_wrap(growing) || may_fall(growing)) return std::nullopt;
    all.first = std::max(all.first, above(growing, node.operands[first_is_number ? 0 : 1]->value));
    all.period = 1;
    return all;
  }

  // A quotient or a remainder of what grows by a number.
  static std::optional<Recurrence> by_number(const Node& node, const Recurrence& recurrence,
                                             Recurrence all) {
    const Expr& divisor = node.operands[1];
    if (!is_constant(divisor) || divisor->value == 0) return std::nullopt;
    const std::uint64_t d = divisor->value;
    if (may_wrap(recurrence) && !(std::has_single_bit(d) && node.op == Op::modulo))
      return std::nullopt;
    if (node.op == Op::modulo) return remainder(recurrence, d, all);
    const std::int64_t change = change_of(recurrence);
    const auto common = std::gcd(change, static_cast<std::int64_t>(d));
    all.period = recurrence.period * (d / static_cast<std::uint64_t>(common));
    all.step = static_cast<std::uint64_t>(change / common) % kWrap;
    return all;
  }

  static Recurrence remainder(const Recurrence& recurrence, std::uint64_t divisor, Recurrence all) {
    const std::int64_t change = std::abs(change_of(recurrence));
    all.period =
        recurrence.period * (divisor / std::gcd(static_cast<std::uint64_t>(change), divisor));
    return all;
  }

  const Recurrences& names_;
  std::unordered_map<const Node*, std::optional<Recurrence>> done_;
};

}  // namespace

Recurrence recurrence_of_rounds(const Expr& end) {
  const std::uint64_t max_end =
      is_constant(end) ? end->value : std::min(end->bound - 1, kMaxRounds);
  return {.period = 1, .step = 1, .first = 0, .max = std::max<std::uint64_t>(max_end, 1) - 1};
}

std::optional<Recurrence> recurrence_of(const Expr& e, const Recurrences& names) {
  return Follower(names)(e);
}

std::optional<Recurrence> combined(const Recurrence& a, const Recurrence& b) {
  const std::uint64_t period = std::lcm(a.period, b.period);
  if (period > kMaxPeriod) return std::nullopt;
  return Recurrence{.period = period, .step = 0, .first = std::max(a.first, b.first)};
}

}  // namespace vkmoye::gen::ir
