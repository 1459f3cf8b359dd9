// SPDX-License-Identifier: MIT
#include "vkmoye/gen/proof/linear.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace vkmoye::gen::proof {
Linear operator+(const Linear& a, const Linear& b) {
  Linear sum = a;
  sum.constant += b.constant;
  for (const auto& [variable, factor] : b.terms) {
    std::int64_t& there = sum.terms[variable];
    there += factor;
    if (there == 0) sum.terms.erase(variable);
  }
  return sum;
}

Linear operator*(const Linear& a, std::int64_t factor) {
  if (factor == 0) return 0;
  Linear product = a;
  product.constant *= factor;
  for (auto& [variable, there] : product.terms) there *= factor;
  return product;
}

std::size_t Variables::add(const std::string& name, Range range, SameIn same_in) {
  const auto [found, is_new] = by_name_.emplace(name, list_.size());
  if (is_new) list_.push_back({name, range, same_in});
  widen(found->second, range);
  return found->second;
}

void Variables::widen(std::size_t variable, Range range) {
  Variable& v = list_[variable];
  if (range.min >= v.range.min && range.max <= v.range.max) return;
  v.range = {std::min(v.range.min, range.min), std::max(v.range.max, range.max)};
  ++widenings_;
  if (v.by == 0) return;
  // Copies: `v` may move.
  const std::int64_t by = v.by, min = v.range.min, max = v.range.max;
  const std::size_t low = v.low, high = v.high;
  widen(low, {0, min < 0 ? by - 1 : std::min(by - 1, max)});
  widen(high, {min < 0 ? (min + 1) / by - 1 : 0, max / by});
}

std::string Variables::short_key(const std::string& key) {
  return keys_.emplace(key, "#" + std::to_string(keys_.size())).first->second;
}

Linear Variables::value(std::size_t variable) const {
  const Variable& v = list_[variable];
  if (v.by != 0) return value(v.low) + value(v.high) * v.by;
  Linear out = 0;
  out.terms[variable] = 1;
  return out;
}

Linear Variables::expanded(const Linear& linear) const {
  Linear out = linear.constant;
  for (const auto& [variable, factor] : linear.terms) out = out + value(variable) * factor;
  return out;
}

std::vector<std::size_t> Variables::parts(std::size_t variable) const {
  std::vector<std::size_t> out;
  for (const auto& [part, factor] : value(variable).terms) out.push_back(part);
  return out;
}

Range Variables::range(const Linear& linear) const {
  const auto is_far = [](std::int64_t a, std::int64_t b) {
    return std::abs(static_cast<double>(a) * static_cast<double>(b)) > static_cast<double>(kFar);
  };
  Range sum{linear.constant, linear.constant};
  for (const auto& [variable, factor] : linear.terms) {
    const Range& one = list_[variable].range;
    if (is_far(one.min, factor) || is_far(one.max, factor)) return {-kFar, kFar};
    sum.min += std::min(one.min * factor, one.max * factor);
    sum.max += std::max(one.min * factor, one.max * factor);
    if (is_far(sum.min, 1) || is_far(sum.max, 1)) return {-kFar, kFar};
  }
  return sum;
}

SameIn Variables::same_in(const Linear& linear) const {
  SameIn all = SameIn::launch;
  for (const auto& [variable, factor] : linear.terms) all = std::max(all, list_[variable].same_in);
  return all;
}

void Variables::split(std::size_t variable, std::int64_t by) {
  const std::string name = list_[variable].name;
  const std::int64_t max = list_[variable].range.max;
  const SameIn same_in = list_[variable].same_in;
  const std::size_t low = add(name + ".0", {0, std::min(by - 1, max)}, same_in);
  const std::size_t high = add(name + ".1", {0, max / by}, same_in);
  list_[variable].by = by;
  list_[variable].low = low;
  list_[variable].high = high;
}

// (divisor * x + rest) / divisor = x + rest / divisor
std::optional<Linear> Variables::quotient(const Linear& linear, std::int64_t divisor) {
  const Linear whole = expanded(linear);
  Linear multiple = 0, rest = 0;
  for (const auto& [variable, factor] : whole.terms) {
    (factor % divisor == 0 ? multiple.terms[variable] : rest.terms[variable]) =
        factor % divisor == 0 ? factor / divisor : factor;
  }
  const std::int64_t remainder = ((whole.constant % divisor) + divisor) % divisor;
  multiple.constant = (whole.constant - remainder) / divisor;
  rest.constant = remainder;
  const auto part = quotient_of_rest(rest, divisor);
  if (!part) return std::nullopt;
  return expanded(multiple) + *part;
}

std::optional<Linear> Variables::quotient_of_rest(const Linear& rest, std::int64_t divisor) {
  const Range all = range(rest);
  if (all.min >= 0 && all.max < divisor) return Linear(0);
  // (g x + y) / (g d) = x / d where 0 <= y < g: the parts of a variable that was split by g.
  std::int64_t g = 0;
  Linear small = rest.constant;
  std::vector<std::pair<std::int64_t, std::size_t>> by_factor;
  for (const auto& [variable, factor] : rest.terms) by_factor.emplace_back(factor, variable);
  std::sort(by_factor.begin(), by_factor.end());
  for (std::size_t i = 0; i < by_factor.size(); ++i) {
    g = 0;
    for (std::size_t j = i; j < by_factor.size(); ++j) g = std::gcd(g, by_factor[j].first);
    g = std::gcd(g, divisor);
    const Range below = range(small);
    if (g > 1 && below.min >= 0 && below.max < g) {
      Linear high = 0;
      for (std::size_t j = i; j < by_factor.size(); ++j) {
        high.terms[by_factor[j].second] = by_factor[j].first / g;
      }
      return quotient(high, divisor / g);
    }
    small.terms[by_factor[i].second] = by_factor[i].first;
  }
  // A variable alone, or one with a factor that divides: it is split.
  if (rest.terms.size() == 1 && rest.constant == 0) {
    const auto [variable, factor] = *rest.terms.begin();
    const Variable& v = list_[variable];
    if (factor == 1 && v.range.min >= 0 && v.by == 0) {
      split(variable, divisor);
      return value(list_[variable].high);
    }
  }
  return std::nullopt;
}

}  // namespace vkmoye::gen::proof
