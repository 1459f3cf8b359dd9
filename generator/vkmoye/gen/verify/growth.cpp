// SPDX-License-Identifier: MIT
#include "vkmoye/gen/verify/growth.hpp"

#include <bit>
#include <numeric>
#include <unordered_map>

namespace vkmoye::gen {
namespace {

using ir::Expr;
using ir::Op;

constexpr std::uint64_t kWrap = std::uint64_t{1} << 32;

class Follower {
 public:
  explicit Follower(const Growths& names) : names_(names) {}

  // Each node is looked at once, however often it is shared.
  std::optional<Growth> operator()(const Expr& e) {
    const auto found = done_.find(&*e);
    if (found != done_.end()) return found->second;
    std::optional<Growth> growth = follow(e);
    if (growth && growth->period > kMaxPeriod) growth.reset();
    return done_[&*e] = growth;
  }

 private:
  std::optional<Growth> follow(const Expr& e) {
    if (e->op == Op::variable) {
      const auto name = names_.find(e->name);
      return name == names_.end() ? Growth{} : name->second;
    }
    std::vector<Growth> parts;
    for (const Expr& operand : e->operands) {
      const auto part = (*this)(operand);
      if (!part) return std::nullopt;
      parts.push_back(*part);
    }
    std::uint64_t period = 1;
    bool repeats = true;
    for (const Growth& part : parts) {
      period = std::lcm(period, part.period);
      repeats = repeats && part.step == 0;
    }
    if (repeats) return Growth{period, 0};
    if (!(e->type == ir::kIndex)) return std::nullopt;
    const auto over = [&](const Growth& part) { return part.step * (period / part.period); };
    switch (e->op) {
      case Op::add: return Growth{period, (over(parts[0]) + over(parts[1])) % kWrap};
      case Op::subtract:
        return Growth{period, (over(parts[0]) + kWrap - over(parts[1]) % kWrap) % kWrap};
      case Op::multiply:
        for (const int constant : {0, 1}) {
          if (!is_constant(e->operands[constant])) continue;
          return Growth{period, over(parts[1 - constant]) * e->operands[constant]->value % kWrap};
        }
        return std::nullopt;
      case Op::divide:
      case Op::modulo: return by_number(*e, parts[0]);
      case Op::bit_and: {
        // A mask of the low bits is a remainder.
        for (const int constant : {0, 1}) {
          const Expr& mask = e->operands[constant];
          if (!is_constant(mask) || !std::has_single_bit(mask->value + 1)) continue;
          return remainder(parts[1 - constant], mask->value + 1);
        }
        return std::nullopt;
      }
      default: return std::nullopt;
    }
  }

  // A quotient or a remainder of what grows by a number.
  static std::optional<Growth> by_number(const ir::Node& node, const Growth& growth) {
    const Expr& divisor = node.operands[1];
    if (!is_constant(divisor) || divisor->value == 0) return std::nullopt;
    const std::uint64_t d = divisor->value;
    const Expr& operand = node.operands[0];
    // What may wrap on the way goes on from 0, in the middle of a period.
    const bool wraps = growth.step > growth.period && operand->bound >= ir::kUnbounded;
    if (wraps && !(std::has_single_bit(d) && node.op == Op::modulo)) return std::nullopt;
    if (node.op == Op::modulo) return remainder(growth, d);
    const std::uint64_t common = std::gcd(growth.step, d);
    return Growth{growth.period * (d / common), growth.step / common};
  }

  static Growth remainder(const Growth& growth, std::uint64_t divisor) {
    return {growth.period * (divisor / std::gcd(growth.step, divisor)), 0};
  }

  const Growths& names_;
  std::unordered_map<const ir::Node*, std::optional<Growth>> done_;
};

}  // namespace

std::optional<Growth> growth_of(const Expr& e, const Growths& names) { return Follower(names)(e); }

}  // namespace vkmoye::gen
