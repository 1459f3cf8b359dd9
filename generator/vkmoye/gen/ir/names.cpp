// SPDX-License-Identifier: MIT
#include "vkmoye/gen/ir/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace vkmoye::gen::ir {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Sorted. Types, qualifiers, statements, reserved words, and functions that shaders call.
constexpr std::string_view kTaken[] = {
    "Arguments",   "abs",           "active",    "all",       "and",
    "any",         "asm",           "attribute", "barrier",   "binding",
    "bool",        "break",         "buffer",    "case",      "cast",
    "ceil",        "centroid",      "clamp",     "class",     "coherent",
    "common",      "const",         "continue",  "coopmat",   "coopvec",
    "default",     "demote",        "discard",   "do",        "double",
    "else",        "enum",          "exp",       "exp2",      "extern",
    "external",    "false",         "filter",    "fixed",     "flat",
    "float",       "floor",         "fma",       "for",       "goto",
    "half",        "highp",         "if",        "in",        "inline",
    "inout",       "input",         "int",       "interface", "invariant",
    "inversesqrt", "isinf",         "isnan",     "layout",    "log",
    "log2",        "long",          "lowp",      "main",      "max",
    "mediump",     "min",           "mix",       "mod",       "namespace",
    "noinline",    "noperspective", "not",       "or",        "out",
    "output",      "packed",        "partition", "patch",     "pow",
    "precise",     "precision",     "public",    "readonly",  "resource",
    "restrict",    "return",        "round",     "roundEven", "sample",
    "sampler",     "shared",        "short",     "sign",      "sizeof",
    "smooth",      "sqrt",          "static",    "struct",    "subroutine",
    "superp",      "switch",        "tanh",      "template",  "terminateInvocation",
    "texture",     "this",          "true",      "trunc",     "typedef",
    "uint",        "uniform",       "union",     "unsigned",  "using",
    "varying",     "void",          "volatile",  "while",     "writeonly",
    "xor",
};

// Those in the shader of a kernel whose workgroups wait for each other.
constexpr std::string_view kTakenByGrids[] = {"arrivals_now", "grid_barrier", "kOrder",
                                              "number_of_block", "wait_for_workgroup"};

// Prefixes of families of types and functions; a digit, a capital letter or `_` follows.
constexpr std::string_view kTakenHeads[] = {
    "atomic",  "bfloat16", "coopMat", "coopVec",  "coopmat",   "coopvec",   "debugPrintf",
    "double2", "float16",  "float32", "float64",  "floatBits", "hitObject", "image",
    "int16",   "int32",    "int64",   "int8",     "intBits",   "isampler",  "itexture",
    "pack",    "ray",      "sampler", "subgroup", "tensor",    "texture",   "uint16",
    "uint32",  "uint64",   "uint8",   "uintBits", "unpack",    "usampler",  "float_to",
    "bf16_to", "e4m3_to",  "e5m2_to",
};

// Whether `name` is a vector or a matrix type: "vec2", "u16vec4", "dmat3x2", "f16mat4".
bool is_vector_type(std::string_view name) {
  while (!name.empty() && (is_digit(name[0]) ||
                           std::string_view("biudfh").find(name[0]) != std::string_view::npos)) {
    name.remove_prefix(1);
  }
  if (!name.starts_with("vec") && !name.starts_with("mat")) return false;
  name.remove_prefix(3);
  return !name.empty() &&
         std::all_of(name.begin(), name.end(), [](char c) { return is_digit(c) || c == 'x'; });
}

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

}  // namespace

std::string reason_against_name(std::string_view name) {
  const bool is_spelled =
      !name.empty() && !is_digit(name[0]) && name.find("__") == std::string_view::npos &&
      std::all_of(name.begin(), name.end(), [](char c) { return is_letter(c) || is_digit(c); });
  if (!is_spelled) {
    return "a name is letters, digits and single underscores, and does not begin with a digit";
  }
  if (name.starts_with("gl_")) return "names that begin with 'gl_' are reserved by GLSL";
  const auto* family =
      std::find_if(std::begin(kTakenHeads), std::end(kTakenHeads), [&](std::string_view head) {
        if (!name.starts_with(head) || name.size() == head.size()) return false;
        const char next = name[head.size()];
        return is_digit(next) || next == '_' || (next >= 'A' && next <= 'Z');
      });
  if (family != std::end(kTakenHeads)) {
    return fmt::format(
        "names that begin with '{}' and a digit, a capital letter or '_' are reserved by GLSL",
        *family);
  }
  if (is_vector_type(name)) return "GLSL has a type of that name";
  const auto is_among = [&](const auto& names) {
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
  };
  if (is_among(kTaken) || is_among(kTakenByGrids)) {
    return "GLSL, or the shader around a kernel, uses that name";
  }
  return "";
}

bool is_name_of_moves(std::string_view name) {
  if (name.starts_with("value")) {
    std::string_view rest = name.substr(5);
    // The numbers of a word of codes: value_x, value2_w.
    const bool is_of_word = rest.size() >= 2 && rest[rest.size() - 2] == '_' &&
                            std::string_view("xyzw").find(rest.back()) != std::string_view::npos;
    if (is_of_word) rest.remove_suffix(2);
    if (rest.empty() || is_number(rest)) return true;
  }
  if (name.starts_with("v") && is_number(name.substr(1))) return true;
  if (name.ends_with("_block")) name.remove_suffix(6);  // the block of such a buffer
  if (name.ends_with("_words")) return true;
  const auto suffix = name.rfind("_x");
  return suffix != std::string_view::npos && is_number(name.substr(suffix + 2));
}

bool is_name_of_builder(std::string_view name) {
  constexpr std::string_view kOwn[] = {"block_x", "block_y",  "block_z",
                                       "thread",  "subgroup", "lane"};
  return std::find(std::begin(kOwn), std::end(kOwn), name) != std::end(kOwn);
}

std::string block_name(std::string_view array) {
  std::string name(array);
  if (name.empty() || name[0] < 'a' || name[0] > 'z') return name + "_block";
  name[0] = static_cast<char>(name[0] - 'a' + 'A');
  return name;
}

}  // namespace vkmoye::gen::ir
