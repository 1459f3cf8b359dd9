// SPDX-License-Identifier: MIT
// What a reader of the emitted text sees: lines that fit, nothing twice, nothing unused.

#include <sstream>

#include "support/expect.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/glsl/print.hpp"
#include "vkmoye/gen/glsl/repeated.hpp"
#include "vkmoye/gen/glsl/wrap.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::gen::glsl {
namespace {

TEST(Wrap, BreaksAsFarOutsideAsPossible) {
  EXPECT_EQ(wrapped("a = b;", 2, 20), "  a = b;\n");
  EXPECT_EQ(wrapped("", 2, 20), "\n");
  EXPECT_EQ(wrapped("v = f(g(a, b), g(c, d));", 2, 20),
            "  v = f(g(a, b),\n"
            "      g(c, d));\n");
  EXPECT_EQ(wrapped("value = f(long(a, b, c), long(d, e, f));", 0, 20),
            "value = f(\n"
            "    long(a, b, c),\n"
            "    long(d, e, f));\n");
  EXPECT_EQ(wrapped("if (first < n && second < n) {", 0, 20),
            "if (first < n\n"
            "    && second < n) {\n");
  EXPECT_EQ(wrapped("if (a + b < n && c + d < n) {", 0, 24),
            "if (a + b < n\n"
            "    && c + d < n) {\n");
  EXPECT_EQ(wrapped("uniform A { uint m, n; float x; };", 0, 26),
            "uniform A { uint m, n;\n"
            "    float x; };\n");
  EXPECT_EQ(wrapped("value = f(long(a, b, c));", 0, 24),
            "value =\n"
            "    f(long(a, b, c));\n");
  // There is no place: the line stays as it is.
  EXPECT_EQ(wrapped("abcdefghijklmnopqrstuvwxyz", 0, 20), "abcdefghijklmnopqrstuvwxyz\n");
  EXPECT_EQ(wrapped("#extension GL_KHR_cooperative_matrix : require", 0, 20),
            "#extension GL_KHR_cooperative_matrix : require\n");
}

TEST(Wrap, KeepsSettingsWhole) {
  EXPECT_EQ(wrapped("// generated: x  a=1 b  cd=2", 0, 20),
            "// generated: x\n"
            "//   a=1 b  cd=2\n");
  EXPECT_EQ(wrapped("float a[8];  // (4,2):(1,4)", 2, 20),
            "  // (4,2):(1,4)\n"
            "  float a[8];\n");
}

TEST(Repeated, PartIsTheLongestThatIsSpelledTwice) {
  const ir::Expr x = ir::variable("column"), y = ir::variable("row");
  const ir::Expr flat = 64 * x + (y + 7) % 64;
  const ir::Expr at = ir::bit_xor(flat, (flat / 64) % 8);
  const auto part = repeated_part(at);
  ASSERT_TRUE(part);
  EXPECT_EQ(print(*part), print(flat));
  EXPECT_EQ(print(replaced(at, *part, ir::variable("f"))), "f ^ ((f >> 6u) & 7u)");
  EXPECT_FALSE(repeated_part(x + y + x));  // names are short enough
}

// All kernels that ship, as a device of none of the optional features runs them.
TEST(EmittedText, HasNoLongLineAndNoUnusedBuiltin) {
  for (const KernelEntry& entry : registry()) {
    const ScalarType type = entry.types.front();
    std::string text;
    try {
      text = print(entry.describe(request_of(type)));
    } catch (const Error&) {
      continue;  // needs matrices
    }
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
      EXPECT_LE(line.size(), 110u) << entry.name << "\n" << line;
    for (const char* name : {"block_x", "block_y", "block_z", "thread"}) {
      const std::string defines = std::string("uint ") + name + " = ";
      const auto at = text.find(defines);
      if (at == std::string::npos) continue;
      EXPECT_NE(text.find(name, at + defines.size()), std::string::npos)
          << entry.name << ": " << name;
    }
    for (const char* never : {"else {\n    if", "{\n\n", "\n\n\n", "one value", "\n\n  }"}) {
      EXPECT_THAT(text, Not(HasSubstr(never))) << entry.name;
    }
  }
}

TEST(EmittedText, HasNoLoopOfOneRound) {
  Builder k("rounds", 32);
  k.output("dst", ScalarType::f32, {{"i", 64}});
  for (const std::uint32_t rounds : {1, 1, 2}) {  // the names of the first two do not meet
    k.unrolled_loop("turn", rounds, [&](const Expr& round) {
      const Expr at = k.let("at", k.thread() + 32 * round);
      if (rounds == 2) k.store(ir::number(ScalarType::f32, 0), ir::Element{"dst", {at}});
    });
  }
  EXPECT_THAT(print(k.finish()), AllOf(Not(HasSubstr("turn < 1u")), HasSubstr("turn < 2u")));
}

}  // namespace
}  // namespace vkmoye::gen::glsl
