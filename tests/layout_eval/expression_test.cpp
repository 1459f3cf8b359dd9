// SPDX-License-Identifier: MIT
// The expressions of `layout EXPR`.
#include "layout/expression.hpp"

#include <nlohmann/json.hpp>
#include <set>

#include "layout/eval.hpp"
#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"

namespace vkmoye::bench {
namespace {

using nlohmann::json;

TEST(LayoutExpression, EvaluatesNestedCalls) {
  const auto text = [](const char* expression) {
    return to_text(evaluate_layout_expression(expression));
  };
  EXPECT_EQ(text("composition((4,8):(8,1), 4:2)"), "(2,2):(16,1)");
  EXPECT_EQ(text("coalesce(zipped_divide((4,8), [2, 4]))"), "(2,4,2,2):(1,4,2,16)");
  EXPECT_EQ(text("size(right_inverse((4,3):(3,1)))"), "12");
  EXPECT_EQ(text("slice((_,3), composition(make_swizzle(2,0,3), (8,8)))"),
            "Swizzle<2,0,3> o 24 o (8):(1)");
  EXPECT_EQ(text("Swizzle<5,0,5> o (32,32):(1,32)"), "Swizzle<5,0,5> o 0 o (32,32):(1,32)");
  EXPECT_THROW(text("composition((4,8):(8,1), 3:"), LayoutError);
  EXPECT_EQ(text("composition(\n  (4,8):(8,1),\r\n\t4:2)"), "(2,2):(16,1)");
  EXPECT_THROW(text("no_such((4,8))"), LayoutError);
}

TEST(LayoutExpression, HasPicturesOfLayoutsAndTiledCopies) {
  EXPECT_EQ(table_of(evaluate_layout_expression("(2,2):(2,1)")).at(1, 0).text, "2");
  EXPECT_EQ(
      table_of(evaluate_layout_expression("make_tiled_copy((2,3):(3,1), (2,3))")).at(0, 3).text,
      "T1V0");
  // C of a tiled multiply-add: thread 3 has rows 2 and 3 of column 1.
  const Table c = table_of(evaluate_layout_expression("make_tiled_mma((2,2), 2)"));
  EXPECT_EQ(c.at(2, 1).text, "T3V0");
  EXPECT_EQ(c.at(3, 1).text, "T3V1");
  EXPECT_THROW(table_of(evaluate_layout_expression("make_swizzle(2,0,3)")), LayoutError);
}

// 32x8 threads write a 32x32 tile along its first mode and read it along its second.
TEST(LayoutExpression, FindsTheStorageOfTheTranspose) {
  const auto text = [](const std::string& expression) {
    return to_text(evaluate_layout_expression(expression));
  };
  const std::string accesses =
      "parallelize((32,32), (32,8)), parallelize(transpose((32,32)), (32,8))";
  EXPECT_EQ(text("search_padding((32,32), " + accesses + ")"), "(32,32):(1,33)");
  EXPECT_EQ(text("search_padding((32,32), " + accesses + ", 4, bank_model(32,32,4))"),
            "(32,32):(1,33)");
  EXPECT_EQ(text("search_swizzle((32,32), " + accesses + ")"),
            "Swizzle<5,0,5> o 0 o (32,32):(1,32)");
  EXPECT_EQ(text("search_storage((32,32), " + accesses + ")"),
            "Swizzle<5,0,5> o 0 o (32,32):(1,32)");
  // With one bank every lane needs its own phase; 16 bytes never fit in 3 banks of 4 bytes.
  EXPECT_EQ(text("search_padding((4,4), (4,4):(4,1), 4, bank_model(4,1,4))"), "(4,4):(1,4)");
  EXPECT_EQ(text("search_swizzle((2,2), access((2,1):(2,1), 2), 8, bank_model(2,3,4))"), "none");
}

TEST(LayoutExpression, SaysWhatIsNoStorageAndWhatCannotBeAccessed) {
  const auto refused = [](const char* expression, const char* text) {
    EXPECT_REFUSED(evaluate_layout_expression(expression), LayoutError, text) << expression;
  };
  refused("search_padding((32,32):(1,31), (32,8))",
          "not a layout for storage: (0,1) and (31,0) share offset 31");
  refused("search_padding((32,32), 4)", "expected an access, got a tuple: 4");
  refused("search_padding((32,32), (32,8), 4, 4)", "expected a bank model, got a tuple: 4");
  refused("search_padding((32,32), (32,33))", "element 1055 is outside the tile of 1024");
  refused("search_padding((32,32), (32,8), 0)", "element bytes are at least 1");
  refused("bank_conflicts((32,32), (32,8), (32,8))", "expected one access, got several");
  refused("bank_conflicts((32,32), (32,8), bank_model(32,0,4))",
          "banks and bank bytes are 1..1024");
  refused("bank_conflicts((32,32), access((32,8), 4096))", "an access has 1..1024 bytes");
  refused("bank_conflicts(1099511627776, 1099511627776:1)", "more than 1048576 accesses");
  refused("cosize(search_swizzle((2,2), access((2,1):(2,1), 2), 8, bank_model(2,3,4)))",
          "expected a layout, got nothing: none");
}

TEST(LayoutExpression, AnalysesLayouts) {
  const auto text = [](const char* expression) {
    return to_text(evaluate_layout_expression(expression));
  };
  EXPECT_EQ(text("is_injective((32,32):(1,31))"), "false");
  EXPECT_EQ(text("find_collision((32,32):(1,31))"), "first (0,1), second (31,0), offset 31");
  EXPECT_EQ(text("find_collision((32,32):(1,33))"), "none");
  EXPECT_EQ(text("contiguous_run((8,6):(1,12))"), "8");
  EXPECT_EQ(text("widest_access((4,4):(1,32), (8,8):(4,128), 4, 16)"), "4");
  EXPECT_EQ(text("bank_conflicts((32,32):(1,32), 32:32)"), "degree 32, phases 1, wavefronts 32");
  EXPECT_EQ(text("bank_conflicts((32,32), access(32:4, 4))"), "degree 1, phases 4, wavefronts 4");
  EXPECT_EQ(text("sectors_per_request((32,32):(1,1024), (32,8):(32,1))"), "most 32, ideal 4");
  EXPECT_EQ(table_of(evaluate_layout_expression("bank_map((32,32):(1,32), 32:32)")).rows, 32);
  const std::string answer =
      evaluate_json(R"({"op":"find_collision","args":[{"shape":[32,32],"stride":[1,31]}]})");
  EXPECT_EQ(answer, R"({"result":{"first":[0,1],"second":[31,0],"offset":31}})");
}

TEST(LayoutExpression, MakesLayoutsAsTheOverloadsInCpp) {
  const auto text = [](const char* expression) {
    return to_text(evaluate_layout_expression(expression));
  };
  EXPECT_EQ(text("make_layout((4,8),(8,1))"), "(4,8):(8,1)");
  EXPECT_EQ(text("make_layout((4,8))"), "(4,8):(1,4)");
  EXPECT_EQ(text("make_layout(4, 2)"), "4:2");
  EXPECT_EQ(text("make_layout((4,8):(8,1), 3:64)"), "((4,8),3):((8,1),64)");
  EXPECT_EQ(text("make_layout(4:2)"), "(4):(2)");
  const auto refused = [](const char* expression, const char* why) {
    EXPECT_REFUSED(evaluate_layout_expression(expression), LayoutError, why) << expression;
  };
  refused("make_layout((4,8),(8,1,2))", "shape and stride are nested differently");
  refused("make_layout((4,8), 2, 3)", "argument 1 of make_layout is a shape among 2 others");
  refused("make_layout(4:1, (2,3))", "this shape as a layout is (2,3):(1,2)");
}

TEST(LayoutExpression, DividesATileOverAMultiplyAdd) {
  EXPECT_EQ(to_text(evaluate_layout_expression("make_tiled_mma((2,2), 2, 1)")),
            "threads (2,2):(1,2), values (2,1), layout_c (4,(2,1)):(2,(1,4)), tiler (4,2), "
            "layout_a (2,2):(2,1), layout_b (2,1):(1,1)");
  EXPECT_REFUSED(evaluate_layout_expression("make_tiled_mma((2,2):(1,3))"), LayoutError,
                 "they are not numbered 0 to 3, each once");
}

/// At least one expression for every operation, and one for every kind of literal.
constexpr const char* kExamples[] = {
    "12",
    "(2,(_,3))",
    "(4,(2,2)):(1,(4,8))",
    "[4, [2, 8:2], _]",
    "():()",
    "none",
    "true",
    "false",
    "Swizzle<2,0,-3>",
    "Swizzle<2,0,3> o 24 o (8):(1)",
    "12 + (4):(1)",
    "access((4,2), 2)",
    "access(4:8)",
    "append(4:1, 3)",
    "bank_conflicts((32,32), access(32:4, 4))",
    "bank_map((4,4), 4:4)",
    "bank_model(32, 32, 4)",
    "blocked_product(4:3, 9:1)",
    "ceil_div((100,70), (32,32))",
    "coalesce((2,4):(1,2))",
    "compatible((4,3), ((2,2),3))",
    "complement(4:2, 24)",
    "composed_swizzle((2,0,3), 8, (8,8))",
    "composition((4,8):(8,1), 4:2)",
    "congruent(1, 2)",
    "contiguous_run((8,6):(1,12))",
    "cosize((32,32):(1,33))",
    "crd2idx((1,2), (3,4))",
    "depth((2,(3,4)))",
    "dice((1,_), (4,8))",
    "domain_distribute((6,4), 8)",
    "domain_offset((1,2), (4,8))",
    "downcast((4,6), 2)",
    "elem_less((0,4), (1,5))",
    "evenly_divides((8,6), (4,3))",
    "filter((2,4):(0,1))",
    "filter_zeros((2,4):(0,1))",
    "find_collision((32,32):(1,31))",
    "find_collision((4,4))",
    "flat_divide((8,6), [4, 3])",
    "flat_product((2,2), (3,4))",
    "flatten((2,(3,4)))",
    "group((2,3,4), 0, 2)",
    "idx2crd(13, (3,(4,2)))",
    "is_compact(4:2)",
    "is_injective(4:0)",
    "layout((4,8), (8,1))",
    "left_inverse((4,4):(1,5))",
    "local_partition((8,4), (2,2), 3)",
    "local_tile((8,6), (2,3), (1,_))",
    "logical_divide(16:3, 4:2)",
    "logical_product((2,2), 3)",
    "make_fragment_like((2,8,4):(64,1,8))",
    "make_layout(4:1, 2:8)",
    "make_layout_like((8,4):(100,7))",
    "make_ordered_layout((2,3,4), (2,0,1))",
    "make_swizzle(2, 0, 3)",
    "make_tiled_copy((2,3):(3,1), (2,3))",
    "make_tiled_mma((2,2), 2, 1)",
    "max_alignment((8,6):(1,12))",
    "max_common_layout((4,8), (4,8):(1,8))",
    "max_common_vector((4,8), (4,8):(1,8))",
    "mode((4,8), 1)",
    "nullspace((2,4):(1,0))",
    "parallelize((8,4), (2,2))",
    "prepend(4:1, 2)",
    "product_each(((2,4),8))",
    "raked_product((2,2), (3,4):(4,1))",
    "rank((2,3))",
    "recast((8,4), 8, 32)",
    "replace((2,3), 0, 4:1)",
    "right_inverse((4,3):(3,1))",
    "row_major((2,3))",
    "search_padding((32,32), 32:32)",
    "search_storage((32,32), 32:32, 32:1)",
    "search_swizzle((32,32), 32:32, 32:1)",
    "search_swizzle((2,2), access((2,1):(2,1), 2), 8, bank_model(2,3,4))",
    "sectors_per_request((32,32):(1,1024), (32,8):(32,1))",
    "select((2,3,4), 2, 0)",
    "shape((4,8))",
    "size((4,8))",
    "slice((_,3), composition(make_swizzle(2,0,3), (8,8)))",
    "slice_and_offset((_,3), (4,8))",
    "stride((4,8))",
    "swizzle((2,0,3), 9)",
    "take((2,3,4), 1, 3)",
    "tile_to_shape((2,2):(2,1), (4,6))",
    "tiled_divide((8,6), [4, 3])",
    "tiled_product((2,2), 3)",
    "transpose((4,8))",
    "unflatten((2,3,4), ((1,1),1))",
    "upcast((8,6), 2)",
    "weakly_congruent(4, (2,2))",
    "widest_access(4:1, 8:4, 4, 16)",
    "zipped_divide((8,6), [4, 3])",
    "zipped_product((2,2), 3)"};

TEST(LayoutExpression, EverythingPrintedIsReadBack) {
  std::set<std::string_view> missing;
  for (const LayoutOperation& row : layout_operations()) missing.insert(row.name);
  for (const std::string_view example : kExamples) {
    missing.erase(example.substr(0, example.find('(')));
    const Value value = evaluate_layout_expression(example);
    if (std::holds_alternative<Table>(value)) continue;  // a picture cannot be read back
    const std::string text = to_text(value), data = to_json(value);
    EXPECT_EQ(evaluate_layout_expression(text).index(), value.index()) << example << ": " << text;
    EXPECT_EQ(to_text(evaluate_layout_expression(text)), text) << example;
    // In JSON a swizzle is its numbers, a list of extents a tuple, and null also stands for `_`.
    EXPECT_EQ(json::parse(to_json(from_json(data))), json::parse(data)) << example;
  }
  EXPECT_TRUE(missing.empty()) << *missing.begin() << " has no example";
}

TEST(LayoutExpression, RefusesLiteralsAtTheirColumn) {
  const auto refused = [](const char* expression, const char* why) {
    EXPECT_REFUSED(evaluate_layout_expression(expression), LayoutError, why) << expression;
  };
  refused("Swizzle(2,0,3)", "column 8: expected three numbers, as in Swizzle<2,0,3>");
  refused("Swizzle<2,0>", "column 12: expected three numbers, as in Swizzle<2,0,3>");
  refused("Swizzle<65,0,5> o 8:1", "a swizzle has numbers up to 64");
  refused("Swizzle<3,0,2>", "|shift| >= bits");
  refused("Swizzle<2,0,3> o", "expected");
  refused("Swizzle<2,0,3> o -1 o 8:1", "the offset is negative");
  refused("swizzle(4, 9)", "expected a swizzle, such as Swizzle<2,0,3> or (2,0,3), got a tuple: 4");
  refused("(4,2) + 8:1", "expected a number, got a tuple");
  refused("layout_tv 4:1", "there is 'layout_tv' but no 'tiler'");
  refused("layout_tv (4,2), tiler 8, degree 3", "there is 'layout_tv' but no 'degree'");
  refused("degree 2, 3", "expected the name of a part");
  refused("degree 2, rows 3", "no value has a part 'rows'");
  refused("compositon (4,8)", "did you mean 'composition'?");
}

}  // namespace
}  // namespace vkmoye::bench
