// SPDX-License-Identifier: MIT
// Kernel files: what was written is read back, and a changed file is rejected with the reason.

#include "vkmoye/contract/kernel_file.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <tuple>

#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/contract/interface_json.hpp"
#include "vkmoye/contract/json.hpp"
#include "vkmoye/contract/spirv.hpp"

namespace vkmoye {
namespace {

// SPIR-V of a compute shader "main" of 64 threads with the buffers 0 to `buffers` - 1: only the parts that are checked.
std::vector<std::uint32_t> shader(std::uint32_t buffers = 2, std::uint32_t threads = 64) {
  std::vector<std::uint32_t> words = {0x07230203, 0x00010500, 0, 100, 0};
  const auto add = [&](std::uint32_t operation, std::vector<std::uint32_t> operands) {
    words.push_back(static_cast<std::uint32_t>(operands.size() + 1) << 16 | operation);
    words.insert(words.end(), operands.begin(), operands.end());
  };
  add(15, {5, 4, 0x6e69616d, 0});
  add(16, {4, 17, threads, 1, 1});
  for (std::uint32_t i = 0; i < buffers; ++i) {
    add(71, {10 + i, 34, 0});
    add(71, {10 + i, 33, i});
  }
  add(71, {10, 24});      // the first is only read
  add(32, {40, 12, 41});  // a pointer to a storage buffer
  for (std::uint32_t i = 0; i < buffers; ++i) add(59, {40, 10 + i, 12});
  add(56, {});
  return words;
}

CompiledKernel some_kernel() {
  CompiledKernel kernel;
  KernelInterface& interface = kernel.interface;
  interface.name = "grüße/\"x\"";
  interface.bindings = {{"a", ScalarType::f16, Access::read, {"k", "m"}, {1, "lda"}, 16},
                        {"b", ScalarType::f32, Access::read_write, {Extent("n", "m"), 7}},
                        {"p", ScalarType::u8, Access::write, {"n"}, {}, 4, Addressing::pointer}};
  interface.push_constants = {"n", "m", {"alpha", ScalarType::f64}, {"p_address", ScalarType::u64}};
  interface.grid = {GridDimension{"n", 32, 1000}, GridDimension{Extent("n", "m"), 8},
                    GridDimension{1, 1}};
  interface.workgroup_size = {64, 1, 1};
  interface.shared_bytes = 4096;
  interface.features = {Feature::f16, Feature::cooperative_matrix};
  interface.subgroup_size = 32;
  interface.matrices = {{16, 8, 16, "f16", "f16", "f32", "f32", "subgroup", false},
                        {16, 16, 32, "u8", "s8", "s32", "s32", "workgroup", true}};
  kernel.glsl = "#version 460\n// \\ \"\t\x01 ü\n";
  kernel.spirv = shader();
  return kernel;
}

// Interfaces have no operator ==; their JSON contains every field.
void expect_equal(const CompiledKernel& a, const CompiledKernel& b) {
  EXPECT_EQ(interface_text(a.interface), interface_text(b.interface));
  EXPECT_EQ(a.interface.matrices, b.interface.matrices);
  EXPECT_EQ(a.interface.features, b.interface.features);
  EXPECT_EQ(a.glsl, b.glsl);
  EXPECT_EQ(a.spirv, b.spirv);
}

TEST(KernelFile, IsReadAsItWasWritten) {
  const CompiledKernel kernel = some_kernel();
  const std::string text = kernel_text(kernel);
  const CompiledKernel back = parse_kernel(text);
  expect_equal(back, kernel);
  EXPECT_EQ(kernel_text(back), text);
  EXPECT_EQ(back.interface.name, kernel.interface.name);
  EXPECT_EQ(back.interface.bindings[1].extents, kernel.interface.bindings[1].extents);
  EXPECT_EQ(back.interface.push_constants, kernel.interface.push_constants);
  EXPECT_EQ(back.interface.grid[0].max_groups, 1000);
  EXPECT_EQ(back.interface.bindings[2].addressing, Addressing::pointer);
  // Spaces, or letters that another program wrote as escapes, do not matter.
  expect_equal(parse_kernel(dump(parse_json(text))), kernel);
  std::string escaped = text;
  escaped.replace(escaped.find("ü"), 2, "\\u00fc");
  expect_equal(parse_kernel(escaped), kernel);
}

TEST(KernelFile, GoesThroughAFile) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() /
                                       ("kernel_file_" + std::to_string(std::random_device{}()));
  std::filesystem::create_directory(folder);
  const std::filesystem::path file = folder / "k.json";
  write_kernel_file(file, some_kernel());
  expect_equal(read_kernel_file(file), some_kernel());
  EXPECT_REFUSED(read_kernel_file(folder / "none"), ArgumentError,
                 AllOf(HasSubstr("none"), HasSubstr("No such file")));
  EXPECT_REFUSED(read_kernel_file(folder), ArgumentError, "cannot be read: Is a directory");
  EXPECT_REFUSED(write_kernel_file(folder / "missing" / "k.json", some_kernel()), ArgumentError,
                 "cannot be written");
  std::ofstream(file) << "{";
  EXPECT_REFUSED(read_kernel_file(file), ArgumentError,
                 "k.json: JSON: it ends at byte 2 (line 1, column 2), "
                 "in the middle of a value: it is cut off");
  std::filesystem::remove_all(folder);
}

TEST(KernelFile, IsRefusedWhereItWasCutOff) {
  const std::string text = kernel_text(some_kernel());
  EXPECT_REFUSED(parse_kernel(" \n"), ArgumentError, StrEq("JSON: it is empty"));
  for (std::size_t length = 1; length + 1 < text.size(); length += 7) {
    EXPECT_REFUSED(parse_kernel(text.substr(0, length)), ArgumentError,
                   StartsWith("JSON: it ends at byte " + std::to_string(length + 1) + " (line "));
  }
}

TEST(KernelFile, IsRefusedWhereItWasDamaged) {
  const CompiledKernel kernel = some_kernel();
  const std::string text = kernel_text(kernel);
  std::mt19937 random(1);
  int refused = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string damaged = text;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << random() % 7));
    try {
      expect_equal(parse_kernel(damaged), kernel);
    } catch (const ArgumentError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, static_cast<int>(text.size() / 2));
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, text.npos) << what;
  return text.replace(at, what.size(), by);
}

TEST(KernelFile, SaysWhyItIsRefused) {
  const std::string text = kernel_text(some_kernel());
  const auto refused = [](const std::string& changed, const auto& why) {
    EXPECT_REFUSED(parse_kernel(changed), ArgumentError, why);
  };
  refused("{}", "\"format\" is not \"vkmoye kernel\"");
  refused(replaced(text, "\"version\": 1", "\"version\": 4"),
          "it has version 4, but this vkmoye reads versions 1 to 3");
  refused(replaced(text, "\"tile\": 32", "\"tile\": 64"), "changed or damaged");
  refused(replaced(text, "\"checksum\": \"", "\"checksum\": \"0"), "changed or damaged");
  refused(text + "x", "'x' at byte");
}

// Files with invalid content but a correct checksum, as another program may write them.
TEST(KernelFile, IsRefusedWhereItsPartsDoNotBelongTogether) {
  const auto refused = [](const CompiledKernel& kernel, const auto& why) {
    EXPECT_REFUSED(parse_kernel(kernel_text(kernel)), ArgumentError, why);
  };
  CompiledKernel kernel = some_kernel();
  kernel.spirv = shader(2, 128);
  refused(kernel, "workgroups are 128 x 1 x 1 in its SPIR-V, 64 x 1 x 1 in its interface");
  kernel.spirv = shader(3);  // the third is accessed through a pointer
  refused(kernel, "its SPIR-V has a buffer at binding 2, but its interface has none");
  kernel.spirv = shader();
  kernel.spirv.pop_back();  // between two instructions
  refused(kernel, "its SPIR-V does not end with a function");
  kernel.spirv.pop_back();
  refused(kernel, "is cut off in word");
  kernel.spirv = shader();
  kernel.spirv[10] = 3u << 16 | 16;  // another execution mode
  refused(kernel, "its SPIR-V");
  kernel.spirv = {1, 2, 3};
  refused(kernel, "its 3 words are not SPIR-V");
  kernel = some_kernel();
  kernel.interface.bindings[0].alignment = 3;
  kernel.interface.bindings[1].name = "b\x1b[31m";
  refused(kernel, AllOf(HasSubstr("a: alignment 3 is not a power of two from 1 to 16"),
                        HasSubstr("name has a control character")));
  kernel = some_kernel();
  kernel.interface.bindings[0].strides.pop_back();
  kernel.interface.grid[0].tile = 0;
  refused(kernel,
          AllOf(HasSubstr("a has 2 extents and 1 strides"), HasSubstr("the grid has tiles of 0")));
}

// A runtime finds arguments by name, and sets addresses itself.
TEST(KernelFile, IsRefusedWhereNamesOrTypesCannotBe) {
  const auto refused = [](const auto& change, const char* why) {
    CompiledKernel kernel = some_kernel();
    change(kernel.interface);
    EXPECT_REFUSED(parse_kernel(kernel_text(kernel)), ArgumentError, why);
  };
  refused([](KernelInterface& kernel) { kernel.bindings[1].name = "a"; },
          "two bindings are called a");
  refused([](KernelInterface& kernel) { kernel.push_constants[1].name = "n"; },
          "two push constants are called n");
  refused([](KernelInterface& kernel) { kernel.push_constants.pop_back(); },
          "p is accessed through a pointer, but no push constant holds its address");
  refused([](KernelInterface& kernel) { kernel.push_constants[3].type = ScalarType::f64; },
          "p is accessed through a pointer, but no push constant holds its address");
  refused([](KernelInterface& kernel) { kernel.push_constants[0].type = ScalarType::u8; },
          "push constant n has the type u8");
  refused(
      [](KernelInterface& kernel) {
        kernel.push_constants.emplace_back("first_group_x", ScalarType::f64);
      },
      "push constant first_group_x has the type f64");
}

TEST(KernelFile, KeepsAssumptions) {
  const auto assumptions_in = [](const char* json, std::vector<std::string>& reasons) {
    Json interface = interface_to_json(some_kernel().interface);
    interface["assumptions"] = parse_json(json);
    return interface_of_json(interface, reasons).assumptions;
  };
  CompiledKernel kernel = some_kernel();
  EXPECT_THAT(kernel_text(kernel), Not(HasSubstr("assumptions")));  // like older files
  EXPECT_THAT(parse_kernel(kernel_text(kernel)).interface.assumptions, IsEmpty());
  kernel.interface.assumptions = {"each element of b is written by one invocation alone: \"ü\"",
                                  "each element of p is written by one invocation alone: m > 0"};
  const CompiledKernel back = parse_kernel(kernel_text(kernel));
  expect_equal(back, kernel);
  EXPECT_EQ(back.interface.assumptions, kernel.interface.assumptions);
  EXPECT_THAT(interface_text(kernel.interface), HasSubstr("\"assumptions\": ["));

  std::vector<std::string> reasons;
  EXPECT_THAT(assumptions_in(R"(["a", "b"])", reasons), ElementsAre("a", "b"));
  EXPECT_THAT(reasons, IsEmpty());
  assumptions_in(R"("a")", reasons);
  assumptions_in(R"([1])", reasons);
  assumptions_in(R"(["\u001b[31m"])", reasons);
  EXPECT_THAT(reasons, ElementsAre("assumptions is \"a\", not an array", "assumptions contains 1",
                                   "assumptions has a control character"));
}

TEST(Json, MembersOfAnotherKindAreReasons) {
  const Json json = parse_json(R"({"name": 3, "steps": {}, "lanes": 129, "text": "t", "rows": 2})");
  std::vector<std::string> reasons;
  EXPECT_EQ(text_in(json, "text", reasons), "t");
  EXPECT_EQ(whole_in(json, "rows", 0, 2, reasons), 2);
  EXPECT_THAT(reasons, IsEmpty());
  EXPECT_EQ(text_in(json, "name", reasons), "");
  EXPECT_EQ(whole_in(json, "lanes", 1, 128, reasons), 1);
  EXPECT_EQ(whole_in(json, "text", 0, 9, reasons), 0);
  array_in(json, "steps", reasons);
  text_in(json, "none", reasons);
  EXPECT_THAT(reasons, ElementsAre("name is 3, not a string",
                                   "lanes is 129, not a whole number from 1 to 128",
                                   "text is \"t\", not a whole number from 0 to 9",
                                   "steps is {}, not an array", "none is missing"));
  EXPECT_EQ(shown(std::string(70, 'x')), '"' + std::string(59, 'x') + "...");
}

// `some_kernel` with n and m as specialisation constants, which its SPIR-V declares with these constant_ids.
CompiledKernel specialised_kernel(std::uint32_t id_of_n = 0, std::uint32_t id_of_m = 1) {
  CompiledKernel kernel = some_kernel();
  kernel.interface.push_constants.erase(kernel.interface.push_constants.begin(),
                                        kernel.interface.push_constants.begin() + 2);
  kernel.interface.specialised = {{"n"}, {"m"}};
  std::vector<std::uint32_t>& words = kernel.spirv;
  words.pop_back();  // the end of a function
  const auto add = [&](std::uint32_t operation, std::vector<std::uint32_t> operands) {
    words.push_back(static_cast<std::uint32_t>(operands.size() + 1) << 16 | operation);
    words.insert(words.end(), operands.begin(), operands.end());
  };
  add(21, {50, 32, 0});  // u32
  for (const auto& [result, letter, id] : {std::tuple(51u, 'n', id_of_n), {52u, 'm', id_of_m}}) {
    add(5, {result, static_cast<std::uint32_t>(letter)});  // its name
    add(71, {result, 1, id});
    add(50, {50, result, 1});
  }
  add(56, {});
  return kernel;
}

// Earlier runtimes would not give the constants their values.
TEST(KernelFile, HasAnotherVersionWhereSizesAreSpecialised) {
  EXPECT_THAT(kernel_text(some_kernel()),
              AllOf(HasSubstr("\"version\": 1"), Not(HasSubstr("specialised"))));
  const CompiledKernel kernel = specialised_kernel();
  const std::string text = kernel_text(kernel);
  EXPECT_THAT(text, HasSubstr("\"version\": 2"));
  const CompiledKernel back = parse_kernel(text);
  expect_equal(back, kernel);
  ASSERT_EQ(back.interface.specialised.size(), 2u);
  EXPECT_EQ(back.interface.specialised[1].name, "m");
  EXPECT_EQ(back.interface.specialised[1].value, std::nullopt);
  EXPECT_THAT(interface_text(kernel.interface), HasSubstr("\"constant_id\": 1"));
}

TEST(KernelFile, IsRefusedWhereSpecialisationConstantsDiffer) {
  const auto refused = [](const CompiledKernel& kernel, const auto& why) {
    EXPECT_REFUSED(parse_kernel(kernel_text(kernel)), ArgumentError, why);
  };
  refused(specialised_kernel(1, 0),
          AllOf(HasSubstr("constant_id 1 is u32 n in its SPIR-V, u32 m in its interface"),
                HasSubstr("constant_id 0 is u32 m in its SPIR-V, u32 n in its interface")));
  refused(specialised_kernel(0, 2), "constant_id 2 is u32 m in its SPIR-V, none in its interface");
  CompiledKernel kernel = specialised_kernel();
  kernel.interface.push_constants.emplace_back("m");
  kernel.interface.specialised[0].name = "m";
  refused(kernel, AllOf(HasSubstr("two specialisation constants are called m"),
                        HasSubstr("m is both a push constant and a specialisation constant")));
  std::vector<std::string> reasons;
  Json json = interface_to_json(specialised_kernel().interface);
  json["specialised"][0]["constant_id"] = 3;
  json["specialised"][1]["type"] = "f32";
  interface_of_json(json, reasons);
  EXPECT_THAT(reasons, ElementsAre("the specialisation constant n has constant_id 3, not 0",
                                   "the specialisation constant m has the type f32, not u32"));
}

TEST(KernelFile, IsRefusedInAVersionWithoutSpecialisationConstants) {
  std::string text = kernel_text(specialised_kernel());
  const std::string now = "\"version\": 2";
  ASSERT_NE(text.find(now), text.npos) << text.substr(0, 200);
  text.replace(text.find(now), now.size(), "\"version\": 1");
  EXPECT_REFUSED(parse_kernel(text), ArgumentError,
                 "it has version 1, but what the kernel has needs version 2");
}

// Words that are not a module must not be read past their end.
TEST(KernelFile, ReadsAnyWordsAfterAHeader) {
  const CompiledKernel good = some_kernel();
  std::mt19937 random(2);
  for (int i = 0; i < 20000; ++i) {
    std::vector<std::uint32_t> words = good.spirv;
    for (int change = 0; change < 3; ++change) {
      // Instructions that are read, with a length that sometimes is correct.
      constexpr std::uint32_t kOpcodes[] = {5,  6,  15, 16, 17, 21, 22, 23, 28,   29,   30, 32,
                                            43, 48, 50, 56, 59, 71, 72, 56, 4456, 4459, 61};
      const std::size_t at = 5 + random() % (words.size() - 5);
      words[at] = random() % 2 == 0
                      ? random() % 64
                      : (random() % 8) << 16 | kOpcodes[random() % std::size(kOpcodes)];
    }
    EXPECT_NO_THROW(reasons_against_spirv(good.interface, words));
  }
}

TEST(Json, SaysWhereItDoesNotFit) {
  const auto refused = [](const char* text, const char* why) {
    EXPECT_REFUSED(parse_json(text), ArgumentError, why) << text;
  };
  refused("{\"a\": 1,\n \"b\" 2}", "line 2, column 6");
  refused("\"\\ud800x\"", "surrogate");
  refused("\"\xff\"", "UTF-8");
  refused("\"a", "it ends at byte 3 (line 1, column 3), in the middle of a value: it is cut off");
  refused("{\n \"a\": [1,]}", "']' at byte 12 (line 2, column 10) is not expected there");
  refused("{\"a\": trux}", "'x' at byte 10 (line 1, column 10) is not expected there");
  refused("{\"a\": \"\x01\"}", "the character \\x01 at byte 8 (line 1, column 8) is not expected");
  refused("{} {}", "'{' at byte 4 (line 1, column 4) is not expected there");
  refused("[1e999]", "a number is out of range");
  refused("[1,]", "line 1, column 4");
  EXPECT_REFUSED(parse_json('"' + std::string(1000, 'x') + "\" y"), ArgumentError,
                 SizeIs(testing::Lt(200u)));
  refused(std::string(100, '[').c_str(), "more than 64 levels");
  EXPECT_EQ(dump(parse_json(" [ -1 , true,null, {\"k\" :\"\\ud83d\\ude00\\n\"}, [], {} ] ")),
            "[-1,true,null,{\"k\":\"\U0001F600\\n\"},[],{}]");
}

TEST(Json, NumbersAreWholeAndOf64Bits) {
  EXPECT_EQ(whole_of(parse_json("-3")), -3);
  EXPECT_EQ(whole_of(parse_json("9223372036854775807")), INT64_MAX);
  for (const char* other : {"9223372036854775808", "99999999999999999999", "1.5", "1e3", "\"1\""}) {
    EXPECT_EQ(whole_of(parse_json(other)), std::nullopt) << other;
  }
}

TEST(KernelFile, HoldsExtentsThatCountParts) {
  CompiledKernel kernel = some_kernel();
  Json json = interface_to_json(kernel.interface);
  const auto extents_in = [&](const char* extents, std::vector<std::string>& reasons) {
    json["bindings"][0]["extents"] = parse_json(extents);
    json["bindings"][0]["strides"] = parse_json("[]");
    return interface_of_json(json, reasons).bindings.at(0).extents;
  };
  std::vector<std::string> reasons;
  const std::vector<Extent> right = {Extent::parts("n", 1024), Extent::parts(Extent("n", "m"), 2),
                                     Extent("n", "m"), Extent("n")};
  EXPECT_EQ(extents_in(R"json(["ceil(n/1024)", "ceil(n*m/2)", "n*m", "n"])json", reasons), right);
  for (const char* wrong :
       {"ceil(n/1)", "ceil(n/0)", "ceil(n/-4)", "ceil(n/4", "ceil(n)", "ceil(/4)",
        "ceil(ceil(n/2)/2)", "ceil(n/2x)", "ceil(n/m)", "n*", "n*m*k", ""}) {
    std::vector<std::string> found;
    extents_in((std::string("[\"") + wrong + "\"]").c_str(), found);
    EXPECT_THAT(found, Contains(HasSubstr("is not an extent"))) << wrong;
  }
}

}  // namespace
}  // namespace vkmoye
