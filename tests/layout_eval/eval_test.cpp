// SPDX-License-Identifier: MIT
// `layout eval --jsonl`: one request per line, one answer per line.
#include "layout/eval.hpp"

#include <nlohmann/json.hpp>
#include <sstream>

#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"

namespace vkmoye::bench {
namespace {

using nlohmann::json;

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
    const std::string answer = evaluate_json(line);
    const json parsed = json::parse(answer);
    EXPECT_TRUE(parsed.contains("error")) << line.substr(0, 80) << "\n" << answer.substr(0, 200);
  }
}

TEST(LayoutEval, SuggestsTheNearestOperation) {
  const std::string answer = evaluate_json(R"({"op":"compositon","args":[]})");
  EXPECT_EQ(answer, R"({"error":"unknown operation 'compositon', did you mean 'composition'?"})");
}

TEST(LayoutEval, SaysWhereALineIsNoJson) {
  const std::string answer = evaluate_json("{\"op\" 1}");
  const std::string error = json::parse(answer)["error"];
  EXPECT_EQ(error.find("parse error at line 1, column 7"), 0u) << error;
}

TEST(LayoutEval, LeavesOutValuesThatWouldFillMemory) {
  const std::string answer =
      evaluate_json(R"({"op":"coalesce","args":[{"shape":[1099511627776,4]}]})");
  EXPECT_EQ(answer, R"({"result":{"shape":4398046511104,"stride":1},"fn":null})");
}

TEST(LayoutEval, ListsValuesNearTheEndOf64Bits) {
  const std::string answer = evaluate_json(
      R"({"op":"flatten","args":[{"shape":[2,2],"stride":[4611686018427387904,1]}]})");
  EXPECT_THAT(answer, HasSubstr("\"fn\":[0,4611686018427387904,1,4611686018427387905]"));
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

TEST(LayoutEval, RefusesALongLineAndGoesOnWithTheNext) {
  const std::string good = R"({"op":"size","args":[[2,3]]})";
  const auto spaces = [&](std::size_t length) {
    return good + std::string(length - good.size(), ' ');
  };
  const auto answers = [](const std::string& lines) {
    std::istringstream in(lines);
    std::ostringstream out;
    evaluate_json_lines(in, out);
    return out.str();
  };
  const std::string result = "{\"result\":6}\n",
                    refused = "{\"error\":\"this line has more than 1048576 bytes\"}\n";
  EXPECT_EQ(answers(spaces(kLongestLine) + "\n" + good), result + result);
  EXPECT_EQ(answers(spaces(kLongestLine)), result) << "the last line needs no line break";
  EXPECT_EQ(answers(spaces(kLongestLine + 1) + "\n" + good + "\n"), refused + result);
  EXPECT_EQ(answers(good + "\n" + std::string(5 * kLongestLine, '[')), result + refused);
  EXPECT_EQ(answers(std::string(3 * kLongestLine, 'x') + "\n\n" + good),
            refused + answers("\n") + result);
  EXPECT_EQ(answers(""), "");
}

TEST(LayoutEval, TakesItsAnswersAsArguments) {
  const auto ask = [](const std::string& op, const std::vector<std::string>& args) {
    std::string request = "{\"op\":\"" + op + "\",\"args\":[";
    for (std::size_t i = 0; i < args.size(); ++i) request += (i == 0 ? "" : ",") + args[i];
    return json::parse(evaluate_json(request + "]}"));
  };
  const json swizzle = ask("make_swizzle", {"2", "0", "3"})["result"];
  const json composed =
      ask("composed_swizzle", {swizzle.dump(), "0", R"({"shape":[8,8]})"})["result"];
  const json column = ask("slice", {"[null,3]", composed.dump()});
  EXPECT_EQ(column["fn"], json::parse("[27,26,25,24,31,30,29,28]"));
  EXPECT_EQ(ask("size", {column["result"].dump()})["result"], 8);
  const json access = ask("access", {R"({"shape":32,"stride":4})", "4"})["result"];
  EXPECT_EQ(ask("bank_conflicts", {R"({"shape":[32,32]})", access.dump(), "4"})["result"]["phases"],
            4);
  const json mma = ask("make_tiled_mma", {"[2,2]", "2", "1"});
  EXPECT_EQ(mma["fn"], json::parse("[0,2,4,6,1,3,5,7]"));
  EXPECT_EQ(ask("rank", {mma["result"].dump()})["result"], 2);
}

TEST(LayoutEval, RefusesPartsThatDoNotFitTogether) {
  const auto refused = [](const char* text, const char* why) {
    EXPECT_REFUSED(from_json(text), LayoutError, why) << text;
  };
  refused(R"({"swizzle":[2,0,3],"offset":-1,"layout":{"shape":4}})", "the offset is negative");
  refused(R"({"swizzle":[2,0,3],"layout":{"shape":4}})", "there is 'layout' but no 'offset'");
  refused(R"({"layout":{"shape":4},"offset":9223372036854775807})", "does not fit 64 bits");
  refused(R"({"threads":[2,2],"values":[1,1],"tiler":[4,4]})",
          "the other parts imply that tiler is (2,2), not (4,4)");
  refused(R"({"degree":2,"rows":1})", "no value has a part 'rows'");
  refused("{}", "a value needs at least one part");
  std::string nested;
  for (int i = 0; i < 100000; ++i) nested += "{\"layout\":";
  nested += "4" + std::string(100000, '}');
  refused(nested.c_str(), "nested too deep");
}

}  // namespace
}  // namespace vkmoye::bench
