// SPDX-License-Identifier: MIT
#include "vkmoye/gen/glsl/declarations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "vkmoye/base/text.hpp"
#include "vkmoye/base/version.hpp"
#include "vkmoye/gen/glsl/expression.hpp"
#include "vkmoye/gen/glsl/parts.hpp"
#include "vkmoye/gen/glsl/spelling.hpp"
#include "vkmoye/gen/ir/effects.hpp"
#include "vkmoye/gen/ir/names.hpp"
#include "vkmoye/gen/ir/traversal.hpp"

namespace vkmoye::gen::glsl {

using ir::Array;
using ir::Op;

std::string array_name(const std::string& array, std::uint32_t width, bool as_words) {
  const std::string name = as_words ? array + "_words" : array;
  return width == 1 ? name : fmt::format("{}_x{}", name, width);
}

std::uint32_t shared_width(const ir::Kernel& kernel, const Array& array) {
  const auto widths = kernel.widths_of(array.name);
  return widths.empty() ? 1 : widths.back();
}

ScalarType spelled_as(ScalarType type) { return type == ScalarType::bf16 ? ScalarType::f16 : type; }

namespace {

// The layout of an array as a comment. It counts elements, so beside vectors it names their type.
std::string layout_text(const Array& array, std::uint32_t width) {
  return width == 1 ? array.layout : fmt::format("{}, in {}", array.layout, to_string(array.type));
}

}  // namespace

std::string register_declaration(const Array& array, std::uint32_t lanes) {
  if (is_single(array)) {
    return fmt::format("{} {};", element_name(array.type, array.vector), array.name);
  }
  const std::int64_t held = array.matrix
                                ? static_cast<std::int64_t>(elements_per_lane(*array.matrix, lanes))
                                : array.vector;
  return fmt::format("{} {}[{}];  // {}",
                     array.matrix ? matrix_name(array) : element_name(array.type, array.vector),
                     array.name, array.size() / held,
                     layout_text(array, array.matrix ? 1 : array.vector));
}

namespace {

const char* qualifier(Access access) {
  switch (access) {
    case Access::read: return "readonly ";
    case Access::write: return "writeonly ";
    case Access::read_write: return "";
  }
  return "";
}

// The version and the command that prints the kernel again. Options are not broken, so that they can be copied.
void made_by(const ir::Kernel& kernel, Lines& out) {
  std::string line = fmt::format("// vkmoye {}{}", version(), kernel.command.empty() ? "" : ":");
  std::string rest = kernel.command.empty() ? "" : " " + kernel.command;
  while (!rest.empty()) {
    const std::size_t next = std::min(rest.find(" --", 1), rest.size());
    if (line.size() + next > 100) {
      out.line(line);
      line = "//  ";
    }
    line += rest.substr(0, next);
    rest.erase(0, next);
  }
  out.line(line);
}

// The settings of a form, each after two spaces: "f16,f32,f16 a=k b=k" -> "  types=f16,f32,f16  a=k  b=k".
std::string settings_of_form(const std::string& form) {
  std::string out;
  for (const std::string& setting : vkmoye::split(form, ' ')) {
    const bool is_types = out.empty() && setting.find('=') == std::string::npos;
    out += fmt::format("  {}{}", is_types ? "types=" : "", setting);
  }
  return out;
}

void header(const ir::Kernel& kernel, Lines& out) {
  std::string config;
  for (const auto& [key, value] : kernel.config) {
    const bool has_settings = key == "form" && value.find('=') != std::string::npos;
    config += has_settings ? settings_of_form(value) : fmt::format("  {}={}", key, value);
  }
  out.line(fmt::format("// generated: {}{}", kernel.name, config));
  if (!kernel.why.empty()) out.line(fmt::format("// {}", kernel.why));
  made_by(kernel, out);
  out.line("#version 460");
  const bool has_matrices = std::any_of(kernel.arrays.begin(), kernel.arrays.end(),
                                        [](const Array& array) { return array.matrix; });
  if (has_matrices || !kernel.arrivals.empty()) out.line("#pragma use_vulkan_memory_model");
  const bool has_bfloat16 = std::any_of(
      kernel.arrays.begin(), kernel.arrays.end(),
      [](const Array& array) { return array.matrix && array.type == ScalarType::bf16; });
  if (has_bfloat16) out.line("// float16_t stands for bfloat16 here: the SPIR-V is told so");
}

void extensions(const ir::Kernel& kernel, Lines& out) {
  std::set<std::string_view> names;  // sorted
  for (const Array& array : kernel.arrays) {
    const Spelling& type = spelling(array.matrix ? spelled_as(array.type) : array.type);
    names.insert(type.in_shader.begin(), type.in_shader.end());
    if (array.is_buffer()) {
      names.insert(type.in_buffer.begin(), type.in_buffer.end());
    }
  }
  ir::for_each_node(kernel, [&](const ir::Node& node) {
    if (node.type.kind != ir::Type::Kind::element) return;
    const Spelling& type = spelling(node.type.element);
    names.insert(type.in_shader.begin(), type.in_shader.end());
  });
  ir::for_each(kernel.body, [&](const ir::Stmt& statement) {
    if (ir::effects_of(statement, kernel).unrolls) names.insert("GL_EXT_control_flow_attributes");
  });
  for (const Feature feature : ir::interface_of(kernel).features.list()) {
    const std::string_view name = extension(feature);
    if (!name.empty()) names.insert(name);
    if (feature == Feature::cooperative_matrix) names.insert("GL_KHR_memory_scope_semantics");
  }
  for (const std::string_view name : names) out.line(fmt::format("#extension {} : require", name));
}

// Functions that convert elements of types that GLSL does not have.
void conversions(const ir::Kernel& kernel, Lines& out) {
  std::set<ScalarType> single, fours, results;
  ir::for_each_node(kernel, [&](const ir::Node& node) {
    if (node.op != Op::convert) return;
    const ir::Type &from = node.operands[0]->type, &to = node.type;
    if (from.is_element()) (from.width == 4 ? fours : single).insert(from.element);
    if (to.is_element()) results.insert(to.element);
  });
  for (const ScalarTypeInfo& row : scalar_types()) {
    const Spelling& type = spelling(row.type);
    if (single.contains(row.type)) out.add(type.to_float);
    if (fours.contains(row.type)) out.add(type.to_floats);
    if (results.contains(row.type)) out.add(type.from_float);
  }
}

void arrays_and_arguments(const ir::Kernel& kernel, Lines& out) {
  int binding = 0;
  for (const Array& array : kernel.arrays) {
    if (!array.is_buffer()) continue;
    // What a workgroup writes is seen by others after a grid barrier.
    const bool is_exchanged = !kernel.arrivals.empty() && array.access != Access::read;
    const std::string memory =
        qualifier(array.access) + std::string(is_exchanged ? "nonprivate " : "");
    std::vector<std::string> extents;
    for (const ir::Axis& axis : array.axes) extents.push_back(to_string(axis.extent));
    const auto widths = kernel.widths_of(array.name);
    const auto words = kernel.word_widths_of(array.name);
    // One name for each width. Several names alias the same memory, so they are not restrict.
    const bool is_only = widths.size() + words.size() == 1;
    const auto declare = [&](std::uint32_t width, bool as_words) {
      const ScalarType type = as_words ? ScalarType::u32 : array.type;
      const std::string name = array_name(array.name, width, as_words);
      if (array.addressing == Addressing::pointer) {
        out.line(fmt::format(
            "layout(buffer_reference, std430, buffer_reference_align = {}) {}buffer {} {{ {} {}; "
            "}};  // ({}), from {} on",
            width * size_of(type), memory, ir::block_name(name), element_name(type, width), name,
            join(extents, ","), address_name(array.name)));
        return;
      }
      out.line(fmt::format("layout(std430, binding = {}) {}{}buffer {} {{ {} {}[]; }};  // ({})",
                           binding, memory, is_only ? "restrict " : "", ir::block_name(name),
                           element_name(type, width), name, join(extents, ",")));
    };
    for (const std::uint32_t width : widths) declare(width, /*as_words=*/false);
    for (const std::uint32_t width : words) declare(width, /*as_words=*/true);
    if (kernel.arguments_in_buffer && kernel.arguments_in_buffer->array == array.name) {
      out.line(fmt::format(
          "layout(std430, binding = {}) readonly restrict buffer {} {{ uint {}; }};", binding,
          ir::block_name(array.name), join(kernel.arguments_in_buffer->names, ", ")));
    }
    if (kernel.arrivals == array.name) {
      out.line(fmt::format("layout(std430, binding = {}) buffer {} {{ uint {}[]; }};  // ({})",
                           binding, ir::block_name(array.name), array.name, join(extents, ",")));
    }
    ++binding;
  }
  std::uint32_t id = 0;
  for (const std::string& name : kernel.specialised) {
    out.line(fmt::format("layout(constant_id = {}) const uint {} = 1u;", id++, name));
  }
  const std::vector<PushConstant> arguments = ir::interface_of(kernel).push_constants;
  if (!arguments.empty()) {
    std::string members;  // consecutive members of one type share a declaration
    const PushConstant* before = nullptr;
    for (const PushConstant& argument : arguments) {
      const bool joins = before != nullptr && before->type == argument.type;
      members +=
          joins ? ", "
                : fmt::format("{}{} ", before == nullptr ? "" : "; ",
                              argument.type == ScalarType::u64 ? "uint64_t"
                                                               : element_name(argument.type, 1));
      members += argument.name;
      before = &argument;
    }
    out.line(fmt::format("layout(push_constant) uniform Arguments {{ {}; }};", members));
  }
  bool is_first = true;
  for (const Array& array : kernel.arrays) {
    if (!array.is_shared()) continue;
    const std::uint32_t width = shared_width(kernel, array);
    if (is_first) out.apart();
    is_first = false;
    out.line(fmt::format("shared {} {}[{}];  // {}", element_name(array.type, width), array.name,
                         (array.size() + width - 1) / width, layout_text(array, width)));
  }
}

// The function that a grid barrier calls, see ir/grid_barrier.hpp.
void grid_barrier(const ir::Kernel& kernel, Lines& out) {
  out.apart();
  out.add(fmt::format(
      R"(// All workgroups wait for each other, and then see what the others wrote to buffers. Together they add 2^31 to
// {0}[0], so that its highest bit changes when the last one has come. If one does not come, {0}[1] becomes 1.
const int kOrder = gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible;
void wait_for_workgroup() {{
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeDevice, gl_StorageSemanticsBuffer | gl_StorageSemanticsShared, kOrder);
}}
uint arrivals_now(uint at) {{
  return atomicLoad({0}[at], gl_ScopeDevice, gl_StorageSemanticsBuffer,
                    gl_SemanticsAcquire | gl_SemanticsMakeVisible);
}}
void grid_barrier() {{
  wait_for_workgroup();
  if (gl_LocalInvocationIndex == 0u) {{
    uint part = gl_WorkGroupID.x == 0u ? 0x80000001u - gl_NumWorkGroups.x : 1u;
    uint before = atomicAdd({0}[0], part, gl_ScopeDevice, gl_StorageSemanticsBuffer, kOrder);
    for (uint polls = 1u; ((arrivals_now(0u) ^ before) & 0x80000000u) == 0u; ++polls) {{
      if ((polls & 0xfffu) != 0u) continue;
      if (polls >= {1}u) atomicMax({0}[1], 1u);
      if (arrivals_now(1u) != 0u) break;
    }}
  }}
  wait_for_workgroup();
}}
)",
      kernel.arrivals, kernel.most_polls));
}

}  // namespace

void print_declarations(const ir::Kernel& kernel, Lines& out) {
  header(kernel, out);
  extensions(kernel, out);
  out.apart();
  out.line(fmt::format("layout(local_size_x = {}) in;", kernel.threads));
  out.apart();
  arrays_and_arguments(kernel, out);
  conversions(kernel, out);
  if (!kernel.arrivals.empty()) grid_barrier(kernel, out);
  out.apart();
}

}  // namespace vkmoye::gen::glsl
