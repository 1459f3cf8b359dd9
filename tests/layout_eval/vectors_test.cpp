// The reference vectors: what CuTe, pycute and MoYe.jl compute, and what none may accept.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "layout/eval.hpp"
#include "layout/expression.hpp"
#include "vkmoye/base/error.hpp"

namespace vkmoye::bench {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::ThrowsMessage;

std::vector<std::string> read_lines(const std::string& name) {
  std::ifstream file(std::string(VKMOYE_VECTORS) + "/" + name);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

json ask(const json& vector) {
  std::string answer;
  evaluate_json(json{{"op", vector["op"]}, {"args", vector["args"]}}.dump(), answer);
  return json::parse(answer);
}

std::int64_t size_of(const json& shape) {
  if (shape.is_number()) return shape.get<std::int64_t>();
  std::int64_t size = 1;
  for (const json& mode : shape) size *= size_of(mode);
  return size;
}

/// R(L(i)) == i, evaluated by the crd2idx operation on both layouts.
bool inverts(const json& layout, const json& inverse) {
  const auto at = [](const json& of, const json& index) {
    return ask({{"op", "crd2idx"}, {"args", {index, of["shape"], of["stride"]}}})["result"];
  };
  for (std::int64_t i = 0; i < size_of(layout["shape"]); ++i)
    if (at(inverse, at(layout, i)) != i) return false;
  return true;
}

TEST(Vectors, AllPublicOnesAgree) {
  const auto lines = read_lines("vectors_public.jsonl");
  ASSERT_EQ(lines.size(), 400u);
  for (const std::string& line : lines) {
    const json vector = json::parse(line);
    const json answer = ask(vector);
    if (answer.contains("error") && vector.value("may_reject", false)) continue;
    ASSERT_TRUE(answer.contains("result")) << line << "\n" << answer;
    const std::string judge = vector["judge"];
    if (judge == "value") {
      EXPECT_EQ(answer["result"], vector["expect"]) << line;
    } else if (judge == "fn") {
      EXPECT_EQ(answer["fn"], vector["fn"]) << line << "\n" << answer["result"];
    } else {
      ASSERT_EQ(judge, "left_inverse") << line;
      EXPECT_TRUE(inverts(vector["args"][0], answer["result"])) << line << "\n" << answer;
    }
  }
}

TEST(Vectors, AllInvalidOnesAreErrors) {
  const auto lines = read_lines("vectors_invalid.jsonl");
  ASSERT_EQ(lines.size(), 47u);
  for (const std::string& line : lines) {
    const json answer = ask(json::parse(line));
    EXPECT_TRUE(answer.contains("error")) << line << "\n" << answer;
    EXPECT_FALSE(answer.contains("result")) << line;
  }
}

TEST(LayoutEval, AnswersEveryBadLineWithAnError) {
  for (const std::string& line :
       {std::string("{"), std::string("[]"), std::string("null"), std::string("{\"op\":3}"),
        std::string("{\"op\":\"composition\"}"), std::string("\xff\xfe"),
        std::string("{\"op\":\"compositon\",\"args\":[]}"),
        std::string("{\"op\":\"size\",\"args\":[{\"shape\":2.5}]}"),
        std::string("{\"op\":\"size\",\"args\":[{\"shape\":99999999999999999999}]}"),
        std::string("{\"op\":\"size\",\"args\":[{\"shape\":9223372036854775808}]}"),
        std::string("{\"op\":\"size\",\"args\":[true]}"),
        std::string("{\"op\":\"size\",\"args\":[{\"shape\":{}}]}"),
        std::string("{\"op\":\"size\",\"args\":[{}]}"),
        std::string("{\"op\":\"size\",\"args\":[") + std::string(100000, '[') +
            std::string(100000, ']') + "]}",
        std::string("{\"op\":\"upcast\",\"args\":[{\"shape\":4},0]}"),
        std::string("{\"op\":\"composed_swizzle\",\"args\":[[3,3,3],-1,{\"shape\":4}]}"),
        std::string("{\"op\":\"composed_swizzle\",\"args\":[[3,3,3],9223372036854775807,"
                    "{\"shape\":4}]}"),
        std::string("{\"op\":\"zipped_divide\",\"args\":[{\"shape\":[4,4]},[2,[2,null]]]}")}) {
    std::string answer;
    evaluate_json(line, answer);
    const json parsed = json::parse(answer);
    EXPECT_TRUE(parsed.contains("error")) << line.substr(0, 80) << "\n" << answer.substr(0, 200);
  }
}

TEST(LayoutEval, SuggestsTheNearestOperation) {
  std::string answer;
  evaluate_json(R"({"op":"compositon","args":[]})", answer);
  EXPECT_EQ(answer, R"({"error":"unknown operation 'compositon', did you mean 'composition'?"})");
}

TEST(LayoutEval, LeavesOutValuesThatWouldFillMemory) {
  std::string answer;
  evaluate_json(R"({"op":"coalesce","args":[{"shape":[1099511627776,4]}]})", answer);
  EXPECT_EQ(answer, R"({"result":{"shape":4398046511104,"stride":1},"fn":null})");
}

TEST(LayoutEval, AnswersLinesInOrder) {
  std::istringstream in(
      "{\"op\":\"size\",\"args\":[{\"shape\":[2,3]}]}\n\nx\n"
      "{\"op\":\"cosize\",\"args\":[{\"shape\":[32,32],\"stride\":[1,33]}]}");
  std::ostringstream out;
  evaluate_json_lines(in, out);
  std::istringstream answers(out.str());
  std::string line;
  ASSERT_TRUE(std::getline(answers, line));
  EXPECT_EQ(line, "{\"result\":6}");
  ASSERT_TRUE(std::getline(answers, line));
  EXPECT_TRUE(line.starts_with("{\"error\":"));  // the empty line
  ASSERT_TRUE(std::getline(answers, line));
  EXPECT_TRUE(line.starts_with("{\"error\":"));
  ASSERT_TRUE(std::getline(answers, line));
  EXPECT_EQ(line, "{\"result\":1055}");
}

TEST(LayoutExpression, EvaluatesNestedCalls) {
  const auto text = [](const char* expression) {
    return to_text(evaluate_layout_expression(expression));
  };
  EXPECT_EQ(text("composition((4,8):(8,1), 4:2)"), "(2,2):(16,1)");
  EXPECT_EQ(text("coalesce(zipped_divide((4,8), [2, 4]))"), "(2,4,2,2):(1,4,2,16)");
  EXPECT_EQ(text("size(right_inverse((4,3):(3,1)))"), "12");
  EXPECT_EQ(text("slice((_,3), composition(make_swizzle(2,0,3), (8,8)))"),
            "Swizzle<2,0,3> o 24 o (8):(1)");
  EXPECT_THROW(text("composition((4,8):(8,1), 3:"), LayoutError);
  EXPECT_EQ(text("composition(\n  (4,8):(8,1),\r\n\t4:2)"), "(2,2):(16,1)");
  EXPECT_THROW(text("no_such((4,8))"), LayoutError);
}

TEST(LayoutExpression, HasPicturesOfLayoutsAndTiledCopies) {
  EXPECT_EQ(table_of(evaluate_layout_expression("(2,2):(2,1)")).at(1, 0).text, "2");
  EXPECT_EQ(
      table_of(evaluate_layout_expression("make_tiled_copy((2,3):(3,1), (2,3))")).at(0, 3).text,
      "T1V0");
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
  // With one bank every lane is a phase of its own; 16 bytes never fit 3 banks of 4.
  EXPECT_EQ(text("search_padding((4,4), (4,4):(4,1), 4, bank_model(4,1,4))"), "(4,4):(1,4)");
  EXPECT_EQ(text("search_swizzle((2,2), access((2,1):(2,1), 2), 8, bank_model(2,3,4))"), "none");
}

TEST(LayoutExpression, SaysWhatIsNoStorageAndWhatCannotBeAccessed) {
  const auto refused = [](const char* expression, const char* text) {
    EXPECT_THAT([&] { evaluate_layout_expression(expression); },
                ThrowsMessage<LayoutError>(HasSubstr(text)))
        << expression;
  };
  refused("search_padding((32,32):(1,31), (32,8))",
          "no layout for storage: (0,1) and (31,0) share offset 31");
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
  std::string answer;
  evaluate_json(R"({"op":"find_collision","args":[{"shape":[32,32],"stride":[1,31]}]})", answer);
  EXPECT_EQ(answer, R"({"result":{"first":[0,1],"second":[31,0],"offset":31}})");
}

}  // namespace
}  // namespace vkmoye::bench
