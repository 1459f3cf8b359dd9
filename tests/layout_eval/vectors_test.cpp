// SPDX-License-Identifier: MIT
// The reference vectors: results of CuTe, pycute and MoYe.jl, and invalid requests.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "layout/eval.hpp"

namespace vkmoye::bench {
namespace {

using nlohmann::json;

std::vector<std::string> read_lines(const std::string& name) {
  std::ifstream file(std::string(VKMOYE_VECTORS) + "/" + name);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

json ask(const json& vector) {
  const std::string answer =
      evaluate_json(json{{"op", vector["op"]}, {"args", vector["args"]}}.dump());
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

}  // namespace
}  // namespace vkmoye::bench
