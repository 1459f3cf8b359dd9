// SPDX-License-Identifier: MIT
#include "vkmoye/gen/glsl/print.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/glsl/expression.hpp"
#include "vkmoye/gen/glsl/repeated.hpp"
#include "vkmoye/gen/glsl/spelling.hpp"
#include "vkmoye/gen/glsl/wrap.hpp"
#include "vkmoye/gen/ir/combining.hpp"
#include "vkmoye/gen/ir/effects.hpp"
#include "vkmoye/gen/ir/names.hpp"

namespace vkmoye::gen::glsl {
namespace {

using ir::Array;
using ir::Expr;
using ir::Op;

// What an array is called where it is touched in vectors of `width`: src_x4; of words: src_words_x4.
std::string array_name(const std::string& array, std::uint32_t width, bool as_words = false) {
  const std::string name = as_words ? array + "_words" : array;
  return width == 1 ? name : fmt::format("{}_x{}", name, width);
}

const char* qualifier(Access access) {
  switch (access) {
    case Access::read: return "readonly ";
    case Access::write: return "writeonly ";
    case Access::read_write: return "";
  }
  return "";
}

class Printer {
 public:
  explicit Printer(const ir::Kernel& kernel) : kernel_(kernel) {
    ir::for_each_node(kernel, [this](const ir::Node& node) {
      if (node.op == Op::variable) used_.insert(node.name);
    });
    taken_ = used_;
    for (const Array& array : kernel.arrays) taken_.insert(array.name);
    for (const PushConstant& argument : kernel.arguments) taken_.insert(argument.name);
    ir::for_each(kernel.body, [this](const ir::Stmt& statement) {
      const ir::Effects effects = ir::effects_of(statement, kernel_);
      for (const ir::Definition& name : effects.defines) taken_.insert(name.name);
      for (const ir::Inner& inner : effects.inner) {
        for (const ir::Definition& name : inner.defines) taken_.insert(name.name);
      }
    });
  }

  std::string print() {
    header();
    extensions();
    line("");
    line("layout(local_size_x = {}) in;", kernel_.threads);
    line("");
    declarations();
    conversions();
    line("");
    line("void main() {{");
    ++depth_;
    for (const Array& array : kernel_.arrays) {
      if (array.space != Array::Space::registers) continue;
      const std::int64_t count = array.matrix
                                     ? array.size() / static_cast<std::int64_t>(elements_per_lane(
                                                          *array.matrix, kernel_.subgroup))
                                     : array.size() / array.vector;
      line("{} {}[{}];  // {}",
           array.matrix ? matrix_name(array) : element_name(array.type, array.vector), array.name,
           count, array.layout);
    }
    body(kernel_.body);
    --depth_;
    line("}}");
    return std::move(out_);
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    out_ += wrapped(fmt::format(format, std::forward<Args>(args)...),
                    static_cast<std::size_t>(2 * depth_));
  }

  void header() {
    std::string config;
    for (const auto& [key, value] : kernel_.config) config += fmt::format("  {}={}", key, value);
    line("// generated: {}{}", kernel_.name, config);
    line("// {}", kernel_.why);
    line("#version 460");
    const bool has_matrices = std::any_of(kernel_.arrays.begin(), kernel_.arrays.end(),
                                          [](const Array& array) { return array.matrix; });
    if (has_matrices) line("#pragma use_vulkan_memory_model");
    const bool has_bfloat16 = std::any_of(
        kernel_.arrays.begin(), kernel_.arrays.end(),
        [](const Array& array) { return array.matrix && array.type == ScalarType::bf16; });
    if (has_bfloat16) line("// float16_t stands for bfloat16 here: the SPIR-V is told so");
  }

  void extensions() {
    std::set<std::string_view> names;  // sorted
    for (const Array& array : kernel_.arrays) {
      const Spelling& type = spelling(array.matrix ? spelled_as(array.type) : array.type);
      names.insert(type.in_shader.begin(), type.in_shader.end());
      if (array.space == Array::Space::buffer) {
        names.insert(type.in_buffer.begin(), type.in_buffer.end());
      }
    }
    ir::for_each_node(kernel_, [&](const ir::Node& node) {
      if (node.type.kind != ir::Type::Kind::element) return;
      const Spelling& type = spelling(node.type.element);
      names.insert(type.in_shader.begin(), type.in_shader.end());
    });
    ir::for_each(kernel_.body, [&](const ir::Stmt& statement) {
      if (ir::effects_of(statement, kernel_).unrolls)
        names.insert("GL_EXT_control_flow_attributes");
    });
    for (const Feature feature : ir::interface_of(kernel_).features.list()) {
      const std::string_view name = extension(feature);
      if (!name.empty()) names.insert(name);
      if (feature == Feature::cooperative_matrix) names.insert("GL_KHR_memory_scope_semantics");
    }
    for (const std::string_view name : names) line("#extension {} : require", name);
  }

  // The functions by which elements of types that GLSL does not have are converted.
  void conversions() {
    std::set<ScalarType> types;
    ir::for_each_node(kernel_, [&](const ir::Node& node) {
      if (node.op != Op::convert) return;
      for (const ir::Type& type : {node.type, node.operands[0]->type}) {
        if (type.kind == ir::Type::Kind::element) types.insert(type.element);
      }
    });
    for (const ScalarType type : types) out_ += spelling(type).conversions;
  }

  void declarations() {
    int binding = 0;
    for (const Array& array : kernel_.arrays) {
      if (array.space != Array::Space::buffer) continue;
      std::vector<std::string> extents;
      for (const ir::Axis& axis : array.axes) extents.push_back(to_string(axis.extent));
      const auto widths = kernel_.widths_of(array.name);
      const auto words = kernel_.widths_of(array.name, /*as_words=*/true);
      // One name for each width; they are the same memory, so none of several is restrict.
      const bool is_only = widths.size() + words.size() == 1;
      const auto declare = [&](std::uint32_t width, bool as_words) {
        const ScalarType type = as_words ? ScalarType::u32 : array.type;
        const std::string name = array_name(array.name, width, as_words);
        if (array.reach == Reach::pointer) {
          line(
              "layout(buffer_reference, std430, buffer_reference_align = {}) {}buffer {} {{ {} {}; "
              "}};  // ({}), from {} on",
              width * size_of(type), qualifier(array.access), ir::block_name(name),
              element_name(type, width), name, join(extents, ","), address_name(array.name));
          return;
        }
        line("layout(std430, binding = {}) {}{}buffer {} {{ {} {}[]; }};  // ({})", binding,
             qualifier(array.access), is_only ? "restrict " : "", ir::block_name(name),
             element_name(type, width), name, join(extents, ","));
      };
      for (const std::uint32_t width : widths) declare(width, false);
      for (const std::uint32_t width : words) declare(width, true);
      ++binding;
    }
    const std::vector<PushConstant> arguments = ir::interface_of(kernel_).push_constants;
    if (!arguments.empty()) {
      std::string members;  // neighbours of one type in one declaration
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
      line("layout(push_constant) uniform Arguments {{ {}; }};", members);
    }
    for (const Array& array : kernel_.arrays) {
      if (array.space != Array::Space::shared) continue;
      const std::uint32_t width = shared_width(array);
      line("");
      line("shared {} {}[{}];  // {}", element_name(array.type, width), array.name,
           (array.size() + width - 1) / width, array.layout);
    }
  }

  // A shared array is declared in the widest vectors that anything touches it with.
  std::uint32_t shared_width(const Array& array) const {
    const auto widths = kernel_.widths_of(array.name);
    return widths.empty() ? 1 : widths.back();
  }

  static Expr address_of(const ir::Element& element, const Array& array) {
    Expr address = 0;
    const std::vector<ir::Axis> axes = axes_of(element, array);
    for (std::size_t i = 0; i < axes.size(); ++i) {
      address = address + axes[i].stride * element.coordinates[i];
    }
    return address;
  }

  // The bytes from the first element of an array to this one, in 64 bits; what a 32-bit index reaches
  // is computed in 32.
  static std::string bytes_to(const ir::Element& element, const Array& array) {
    std::vector<std::string> terms;
    for (std::size_t i = 0; is_far(array) && i < array.axes.size(); ++i) {
      const Expr &step = array.axes[i].stride, &at = element.coordinates[i];
      if (ir::is_constant(at, 0)) continue;
      const std::string coordinate = fmt::format("uint64_t({})", glsl::print(at));
      terms.push_back(ir::is_constant(step, 1) ? coordinate
                      : ir::is_constant(step)
                          ? fmt::format("{}ul * {}", step->value, coordinate)
                          : fmt::format("uint64_t({}) * {}", glsl::print(step), coordinate));
    }
    if (terms.empty())
      terms = {fmt::format("uint64_t({})", glsl::print(address_of(element, array)))};
    const std::string sum = join(terms, " + ");
    return fmt::format(fmt::runtime(terms.size() > 1 ? "{}ul * ({})" : "{}ul * {}"),
                       size_of(array.type), sum);
  }

  std::string element(const ir::Element& element) {
    const Array& array = *kernel_.find(element.array);
    if (array.reach == Reach::pointer) {
      const std::string name =
          array_name(array.name, type_of(element, array).width, element.as_words);
      return fmt::format("{}({} + {}).{}", ir::block_name(name), address_name(array.name),
                         bytes_to(element, array), name);
    }
    const Expr address = address_of(element, array);
    if (array.matrix) {
      const auto held =
          static_cast<std::uint32_t>(elements_per_lane(*array.matrix, kernel_.subgroup));
      return fmt::format("{}[{}][{}]", array.name, glsl::print(address / held),
                         glsl::print(address % held));
    }
    if (array.space == Array::Space::registers) {
      return fmt::format("{}[{}]", array.name, glsl::print(address / array.vector));
    }
    if (array.space == Array::Space::buffer) {
      return fmt::format("{}[{}]",
                         array_name(array.name, type_of(element, array).width, element.as_words),
                         glsl::print(ir::divide_exactly(address, element.width)));
    }
    const std::uint32_t width = shared_width(array);
    if (element.width == width) {
      return fmt::format("{}[{}]", array.name, glsl::print(once(address / width, array.name)));
    }
    // Named only where both say it whole: what is known of a sum may make one of them simpler.
    const Expr block = address / width, rest = address % width;
    const bool twice = is_long(address) && is_of(block, address) && is_of(rest, address);
    const Expr at = twice ? named(address, array.name, "at") : address;
    return fmt::format("{}[{}][{}]", array.name, glsl::print(at / width), glsl::print(at % width));
  }

  static bool is_long(const Expr& index) { return glsl::print(index).size() > 24; }
  // Whether `e` is an operation on `operand` as it is.
  static bool is_of(const Expr& e, const Expr& operand) {
    return !e->operands.empty() && &*e->operands[0] == &*operand;
  }

  // `index` of `array`, in which what it would say twice has a name.
  Expr once(const Expr& index, const std::string& array) {
    const std::optional<Expr> part = repeated_part(index);
    return part ? replaced(index, *part, named(*part, array, "flat")) : index;
  }

  // A variable with the value of `index`: declared on the line before, or earlier in the same scope.
  Expr named(const Expr& index, const std::string& array, const char* what) {
    const std::string text = glsl::print(once(index, array));
    std::string& name = scopes_.back()[text];
    if (name.empty()) {
      const std::string wanted = fmt::format("{}_{}", array, what);
      name = wanted;
      for (int number = 2; !taken_.insert(name).second; ++number) {
        name = fmt::format("{}{}", wanted, number);
      }
      line("uint {} = {};", name, text);
    }
    return ir::variable(name, ir::kIndex, index->bound, index->alignment);
  }

  void body(const ir::Body& statements) {
    scopes_.emplace_back();
    for (const ir::Stmt& statement : statements) {
      std::visit([this](const auto& s) { visit(s); }, statement.value);
    }
    for (const auto& [text, name] : scopes_.back()) taken_.erase(name);
    scopes_.pop_back();
  }

  void scope(const ir::Body& statements) {
    ++depth_;
    body(statements);
    --depth_;
    line("}}");
  }

  void visit(const ir::Let& s) {
    if (used_.count(s.name) == 0) return;
    line("{} {} = {};", spell_type(s.value->type), s.name, glsl::print(s.value));
  }
  void visit(const ir::Load& s) {
    const std::string from = element(s.from);
    line("{} {} = {};", spell_type(type_of(s.from, *kernel_.find(s.from.array))), s.name,
         is_disguised(s.from) ? bits_of_half(from) : from);
  }
  void visit(const ir::Store& s) {
    line("{} = {};", element(s.to),
         is_disguised(s.to) ? print_as_half(s.value) : glsl::print(s.value));
  }
  void visit(const ir::If& s) { branches(s, ""); }
  void branches(const ir::If& s, const char* before) {
    line("{}if ({}) {{", before, glsl::print(s.condition));
    if (s.otherwise.empty()) return scope(s.body);
    ++depth_;
    body(s.body);
    --depth_;
    const auto* other = std::get_if<ir::If>(&s.otherwise.front().value);
    if (s.otherwise.size() == 1 && other != nullptr) return branches(*other, "} else ");
    line("}} else {{");
    scope(s.otherwise);
  }
  static const char* unroll_text(ir::Unroll unroll) {
    switch (unroll) {
      case ir::Unroll::free: return "";
      case ir::Unroll::always: return "[[unroll]] ";
      case ir::Unroll::never: return "[[dont_unroll]] ";
    }
    return "";
  }
  void visit(const ir::For& s) {
    line("{0}for (uint {1} = 0u; {2}; ++{1}) {{", unroll_text(s.unroll), s.variable,
         glsl::print(ir::less(ir::variable(s.variable), s.end)));
    scope(s.body);
  }
  void visit(const ir::Barrier&) {
    line("");
    line("barrier();");
  }
  void visit(const ir::Subgroup& s) {
    line("{} {} = {};", spell_type(ir::type_of(s)), s.name, subgroup_call(s));
  }
  static std::string subgroup_call(const ir::Subgroup& s) {
    using Kind = ir::Subgroup::Kind;
    const auto* row = ir::combining(s.combine);
    const char* combine = row != nullptr ? row->glsl : "";
    switch (s.kind) {
      case Kind::reduce: return call(fmt::format("subgroup{}", combine), {s.value});
      case Kind::inclusive_scan:
        return call(fmt::format("subgroupInclusive{}", combine), {s.value});
      case Kind::exclusive_scan:
        return call(fmt::format("subgroupExclusive{}", combine), {s.value});
      case Kind::broadcast: return call("subgroupBroadcast", {s.value, s.lane});
      case Kind::shuffle: return call("subgroupShuffle", {s.value, s.lane});
      case Kind::shuffle_xor: return call("subgroupShuffleXor", {s.value, s.lane});
      case Kind::ballot: return call("subgroupBallot", {s.value});
      case Kind::elect: return "subgroupElect()";
    }
    return "?";
  }
  void visit(const ir::Atomic& s) {
    const char* combine = ir::combining(s.combine)->glsl;
    line("{} {} = atomic{}({}, {});", element_name(kernel_.find(s.to.array)->type, 1), s.name,
         combine, element(s.to), glsl::print(s.value));
  }
  // Matrices of bfloat16 are spelled as those of f16, see spirv/bfloat16.hpp.
  static ScalarType spelled_as(ScalarType type) {
    return type == ScalarType::bf16 ? ScalarType::f16 : type;
  }
  // Whether it is an element of such a matrix; elsewhere those of bfloat16 are spelled as bits.
  bool is_disguised(const ir::Element& element) const {
    const Array& array = *kernel_.find(element.array);
    return array.matrix && array.type == ScalarType::bf16;
  }
  static std::string matrix_name(const Array& array) {
    const char* use = array.matrix->use == ir::MatrixType::Use::a   ? "A"
                      : array.matrix->use == ir::MatrixType::Use::b ? "B"
                                                                    : "Accumulator";
    return fmt::format("coopmat<{}, gl_ScopeSubgroup, {}, {}, gl_MatrixUse{}>",
                       element_name(spelled_as(array.type), 1), array.matrix->rows,
                       array.matrix->columns, use);
  }
  static std::string matrix(const ir::MatrixPart& part) {
    return fmt::format("{}[{}]", part.array, glsl::print(part.number));
  }
  // Where a region begins, its stride and its order, as coopMatLoad and coopMatStore take them.
  std::string region(const ir::MatrixRegion& region) const {
    const Array& array = *kernel_.find(region.first.array);
    const bool is_buffer = array.space == Array::Space::buffer;
    const std::uint32_t width = is_buffer ? region.first.width : shared_width(array);
    return fmt::format("{}, {}, {}, gl_CooperativeMatrixLayout{}Major",
                       is_buffer ? array_name(array.name, width) : array.name,
                       glsl::print(ir::divide_exactly(address_of(region.first, array), width)),
                       glsl::print(region.stride / width), region.by_columns ? "Column" : "Row");
  }
  void visit(const ir::MatrixLoad& s) {
    line("coopMatLoad({}, {});", matrix(s.to), region(s.from));
  }
  void visit(const ir::MatrixStore& s) {
    line("coopMatStore({}, {});", matrix(s.from), region(s.to));
  }
  void visit(const ir::MatrixFill& s) {
    line("{} = {}({});", matrix(s.to), matrix_name(*kernel_.find(s.to.array)),
         glsl::print(s.value));
  }
  void visit(const ir::MatrixMultiply& s) {
    line("{} = coopMatMulAdd({}, {}, {});", matrix(s.to), matrix(s.a), matrix(s.b), matrix(s.c));
  }
  void visit(const ir::Block& s) {
    line("");
    std::istringstream title(s.title);
    for (std::string text; std::getline(title, text);) line("// {}", text);
    line("{{");
    scope(s.body);
  }

  const ir::Kernel& kernel_;
  std::set<std::string> used_;   // names that expressions use
  std::set<std::string> taken_;  // names of the kernel, and of named() in open scopes
  std::vector<std::map<std::string, std::string>>
      scopes_;  // of what named() declared: its text, its name
  int depth_ = 0;
  std::string out_;
};

}  // namespace

std::string print(const ir::Kernel& kernel) { return Printer(kernel).print(); }

}  // namespace vkmoye::gen::glsl
