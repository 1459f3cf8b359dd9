#include "vkmoye/gen/ir/names.hpp"

#include <algorithm>
#include <iterator>

namespace vkmoye::gen::ir {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Sorted. Types, qualifiers, statements, reserved words, and functions that shaders call.
constexpr std::string_view kTaken[] = {
    "Arguments", "abs",           "active",  "all",       "and",        "any",      "asm",
    "atomic",    "attribute",     "barrier", "binding",   "bool",       "break",    "buffer",
    "bvec2",     "bvec3",         "bvec4",   "case",      "cast",       "centroid", "class",
    "clamp",     "coherent",      "common",  "const",     "continue",   "default",  "discard",
    "dmat2",     "dmat3",         "dmat4",   "do",        "double",     "dvec2",    "dvec3",
    "dvec4",     "else",          "enum",    "extern",    "external",   "false",    "filter",
    "fixed",     "flat",          "float",   "fma",       "for",        "goto",     "half",
    "highp",     "hvec2",         "hvec3",   "hvec4",     "if",         "in",       "inline",
    "inout",     "input",         "int",     "interface", "invariant",  "ivec2",    "ivec3",
    "ivec4",     "layout",        "long",    "lowp",      "main",       "mat2",     "mat3",
    "mat4",      "max",           "mediump", "min",       "mix",        "mod",      "namespace",
    "noinline",  "noperspective", "not",     "or",        "out",        "output",   "packed",
    "partition", "patch",         "precise", "precision", "public",     "readonly", "resource",
    "restrict",  "return",        "sample",  "sampler",   "sampler2D",  "shared",   "short",
    "sizeof",    "smooth",        "static",  "struct",    "subroutine", "superp",   "switch",
    "template",  "texture",       "this",    "true",      "typedef",    "uint",     "uniform",
    "union",     "unsigned",      "using",   "uvec2",     "uvec3",      "uvec4",    "varying",
    "vec2",      "vec3",          "vec4",    "void",      "volatile",   "while",    "writeonly",
    "xor",
};

}  // namespace

bool is_usable_name(std::string_view name) {
  if (name.empty() || is_digit(name[0])) return false;
  if (!std::all_of(name.begin(), name.end(), [](char c) { return is_letter(c) || is_digit(c); })) {
    return false;
  }
  // Packed vectors go through functions called so.
  if (name.starts_with("pack") || name.starts_with("unpack")) return false;
  if (name.starts_with("gl_") || name.find("__") != std::string_view::npos) return false;
  return std::find(std::begin(kTaken), std::end(kTaken), name) == std::end(kTaken);
}

}  // namespace vkmoye::gen::ir
