// SPDX-License-Identifier: MIT
// Element operations and conversions on every device, compared with the library's definitions.

#include <array>
#include <cmath>
#include <map>

#include "kernels_device/compute_fixture.hpp"
#include "support/expect.hpp"
#include "vkmoye/gen/ir/operation.hpp"

namespace vkmoye::test {
namespace {

constexpr std::array kTypes = [] {
  using enum ScalarType;
  return std::array{f16, f32, f64, i32, u32, bf16, e4m3, e5m2, i8, u8, i16, u16};
}();

struct Case {
  const char* name;
  std::function<Expr(const Expr& a, const Expr& b, const Expr& c)> make;
  double ulps = 0;      // of the result, for floating types: Vulkan, "Precision and Operation of
                        // SPIR-V Instructions"; exp and exp2 get 2 |x| more
  double absolute = 0;  // in units of epsilon, where the result may be 0
};

Expr one_if(const Expr& condition, const Expr& like) {
  const ScalarType type = like->type.element;
  return select(condition, gen::ir::number(type, 1), gen::ir::number(type, 0));
}

Expr positive(const Expr& x) { return absolute(x) + 1; }

// `x` where it is between -3 and 3, else 1.
Expr between_3(const Expr& x) { return select(less(absolute(x), 3), x, 1); }

// `x` with its lowest bit changed.
Expr flipped(const Expr& x) {
  const std::size_t bytes = size_of(x->type.element);
  const ScalarType word = bytes == 1   ? ScalarType::u8
                          : bytes == 2 ? ScalarType::u16
                                       : ScalarType::u32;
  return bitcast(bit_xor(bitcast(x, word), 1), x->type.element);
}

std::vector<Case> cases() {
  return {
      {"add", [](auto& a, auto& b, auto&) { return a + b; }},
      {"subtract", [](auto& a, auto& b, auto&) { return a - b; }},
      {"multiply", [](auto& a, auto& b, auto&) { return a * b; }},
      {"divide", [](auto& a, auto& b, auto&) { return a / maximum(b, 1); }, 2.5},
      {"modulo", [](auto& a, auto& b, auto&) { return maximum(a, 0) % maximum(b, 1); }},
      {"minimum", [](auto& a, auto& b, auto&) { return minimum(a, b); }},
      {"maximum", [](auto& a, auto& b, auto&) { return maximum(a, b); }},
      {"bit_and", [](auto& a, auto& b, auto&) { return bit_and(a, b); }},
      {"bit_or", [](auto& a, auto& b, auto&) { return bit_or(a, b); }},
      {"bit_xor", [](auto& a, auto& b, auto&) { return bit_xor(a, b); }},
      {"shift_left", [](auto& a, auto& b, auto&) { return shift_left(a, bit_and(b, 31)); }},
      {"shift_right", [](auto& a, auto& b, auto&) { return shift_right(a, bit_and(b, 31)); }},
      {"negate", [](auto& a, auto&, auto&) { return -a; }},
      {"absolute", [](auto& a, auto&, auto&) { return absolute(a); }},
      {"bit_not", [](auto& a, auto&, auto&) { return bit_not(a); }},
      {"exp", [](auto& a, auto&, auto&) { return exp(a); }, 3},
      {"exp2", [](auto& a, auto&, auto&) { return exp2(a); }, 3},
      {"log", [](auto& a, auto&, auto&) { return log(positive(a)); }, 3, 4},
      {"log2", [](auto& a, auto&, auto&) { return log2(positive(a)); }, 3, 4},
      {"sqrt", [](auto& a, auto&, auto&) { return sqrt(positive(a)); }, 5},
      {"rsqrt", [](auto& a, auto&, auto&) { return rsqrt(positive(a)); }, 2},
      {"tanh", [](auto& a, auto&, auto&) { return tanh(a); }, 8, 8},
      {"sin", [](auto& a, auto&, auto&) { return sin(between_3(a)); }, 0, 4096},
      {"cos", [](auto& a, auto&, auto&) { return cos(between_3(a)); }, 0, 4096},
      {"floor", [](auto& a, auto&, auto&) { return floor(a); }},
      {"ceil", [](auto& a, auto&, auto&) { return ceil(a); }},
      {"round", [](auto& a, auto&, auto&) { return round(a); }},
      // Halves are rounded to the even integer.
      {"round of halves",
       [](auto& a, auto&, auto&) {
         const ScalarType type = a->type.element;
         return round(floor(a) + gen::ir::number(type, is_floating(type) ? 0.5 : 0));
       }},
      {"bitcast", [](auto& a, auto&, auto&) { return flipped(a); }},
      {"multiply_add", [](auto& a, auto& b, auto& c) { return multiply_add(a, b, c); }, 1, 128},
      {"less", [](auto& a, auto& b, auto&) { return one_if(less(a, b), a); }},
      {"equal", [](auto& a, auto& b, auto&) { return one_if(equal(a, maximum(a, b)), a); }},
      {"not_equal", [](auto& a, auto& b, auto&) { return one_if(not_equal(a, b), a); }},
      {"is_nan", [](auto& a, auto&, auto&) { return one_if(is_nan(a), a); }},
      {"logical",
       [](auto& a, auto& b, auto& c) {
         return one_if(logical_or(logical_and(less(a, b), less(b, c)), logical_not(less(c, a))), a);
       }},
      {"select", [](auto& a, auto& b, auto& c) { return select(less(a, b), b, c); }},
      {"constants", [](auto& a, auto&, auto&) { return a + gen::ir::number(a->type.element, 7); }},
  };
}

bool fits(const Expr& e) {
  if (!e->operands.empty() && gen::ir::type_error(*e)) return false;
  return std::all_of(e->operands.begin(), e->operands.end(), fits);
}

std::optional<Bits> value_of(const Expr& e, const std::map<std::string, Bits>& names) {
  if (e->op == Op::constant) return e->value;
  if (e->op == Op::variable) return names.at(e->name);
  std::vector<Bits> operands;
  for (const Expr& operand : e->operands) {
    const auto value = value_of(operand, names);
    if (!value) return std::nullopt;
    operands.push_back(*value);
  }
  return gen::ir::evaluate(*e, operands);
}

double epsilon_of(ScalarType type) {
  using enum ScalarType;
  switch (type) {
    case f16: return 0x1p-10;
    case bf16: return 0x1p-7;
    case e4m3: return 0x1p-3;
    case e5m2: return 0x1p-2;
    // The specification only requires the precision of f32 for operations on f64.
    case f32:
    case f64: return 0x1p-23;
    default: return 0;
  }
}

TEST_F(ComputeTest, EveryOperationComputesItsMeaningForEveryType) {
  constexpr std::int64_t kCount = 256;
  for_each_device([&](Device& device) {
    for (const ScalarType type : kTypes) {
      const Expr x[] = {gen::ir::variable("a", gen::ir::element(type)),
                        gen::ir::variable("b", gen::ir::element(type)),
                        gen::ir::variable("c", gen::ir::element(type))};
      std::vector<Case> fitting;
      for (const Case& row : cases()) {
        if (fits(row.make(x[0], x[1], x[2]))) fitting.push_back(row);
      }
      Builder k("operations", 64);
      std::vector<View> in;
      for (const char* name : {"a", "b", "c"}) {
        const Tensor tensor = k.input(name, type, {{"at", kCount}});
        in.push_back(parallelize(tile(tensor, {64}, {k.block_x()}), Layout(64), k.thread()));
      }
      const Tensor out = k.output(
          "result", type, {{"at", kCount}, {"number", static_cast<std::int64_t>(fitting.size())}});
      for (std::uint32_t i = 0; i < fitting.size(); ++i) {
        k.apply(parallelize(tile(out, {64, 1}, {k.block_x(), i}), make_layout({64, 1}), k.thread()),
                fitting[i].make, in[0], in[1], in[2]);
      }
      const gen::ir::Kernel kernel = k.finish();
      if (!reasons_against(gen::ir::interface_of(kernel), device.caps()).empty()) continue;

      std::vector<std::vector<Bits>> inputs;
      std::vector<std::vector<std::uint8_t>> bytes;
      for (int i = 0; i < 3; ++i) {
        inputs.push_back(random_values(type, kCount));
        bytes.push_back(bytes_of(type, inputs.back()));
      }
      const auto found = run(device, kernel, bytes, type, kCount * fitting.size());
      std::size_t compared = 0;
      for (std::size_t i = 0; i < found.size(); ++i) {
        const Case& row = fitting[i / kCount];
        const std::size_t at = i % kCount;
        const auto expected =
            value_of(row.make(x[0], x[1], x[2]),
                     {{"a", inputs[0][at]}, {"b", inputs[1][at]}, {"c", inputs[2][at]}});
        if (!expected) continue;
        ++compared;
        if (found[i] == *expected) continue;
        const double wanted = number_of(type, *expected), got = number_of(type, found[i]);
        const std::string name = row.name;
        const double more = name == "exp"    ? 2 * std::abs(std::log(wanted))
                            : name == "exp2" ? 2 * std::abs(std::log2(wanted))
                                             : 0;
        const double bound =
            epsilon_of(type) *
            ((row.ulps > 0 ? row.ulps + more : 0) * std::abs(wanted) + row.absolute);
        EXPECT_LE(std::abs(got - wanted), bound)
            << row.name << " of " << to_string(type) << " at " << at << ": a "
            << number_of(type, inputs[0][at]) << ", b " << number_of(type, inputs[1][at]) << ", c "
            << number_of(type, inputs[2][at]) << ", " << got << " instead of " << wanted;
      }
      EXPECT_GT(compared, found.size() * 3 / 4) << to_string(type);
    }
  });
}

// A compiler may remove a conversion and its inverse in one shader, including the rounding.
TEST_F(ComputeTest, ElementsAreConvertedAsMeaningSays) {
  constexpr std::int64_t kCount = 256;
  for_each_device([&](Device& device) {
    for (const ScalarType from : kTypes) {
      for (const ScalarType to : kTypes) {
        const Expr some = gen::ir::variable("x", gen::ir::element(from));
        if (!fits(convert(some, to))) continue;
        std::vector<Bits> input = random_values(from, kCount);
        for (Bits& bits : input) {
          // Values outside the range of the integer type are undefined.
          if (number_of(from, bits) < 0 && is_unsigned(to)) {
            bits = bits_of(from, -number_of(from, bits));
          }
        }
        const auto found = converted(device, from, to, input);
        for (std::size_t i = 0; i < found.size(); ++i) {
          const Bits expected =
              gen::ir::converted(gen::ir::element(from), input[i], gen::ir::element(to));
          EXPECT_EQ(found[i], expected)
              << to_string(from) << " to " << to_string(to) << ": " << number_of(from, input[i]);
        }
      }
    }
  });
}

}  // namespace
}  // namespace vkmoye::test
