// SPDX-License-Identifier: MIT
#include "vkmoye/gen/glsl/print.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/glsl/declarations.hpp"
#include "vkmoye/gen/glsl/expression.hpp"
#include "vkmoye/gen/glsl/lines.hpp"
#include "vkmoye/gen/glsl/repeated.hpp"
#include "vkmoye/gen/glsl/spelling.hpp"
#include "vkmoye/gen/ir/assumptions.hpp"
#include "vkmoye/gen/ir/effects.hpp"
#include "vkmoye/gen/ir/names.hpp"
#include "vkmoye/gen/ir/reduction_op.hpp"
#include "vkmoye/gen/ir/traversal.hpp"

namespace vkmoye::gen::glsl {
namespace {

using ir::Array;
using ir::Expr;
using ir::Op;

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
    print_declarations(kernel_, out_);
    out_.line("void main() {");
    out_.indent();
    for (const Array& array : kernel_.arrays) {
      if (array.space != Array::Space::registers) continue;
      if (is_single(array)) {
        out_.line(fmt::format("{} {};", element_name(array.type, array.vector), array.name));
        continue;
      }
      const std::int64_t count = array.matrix
                                     ? array.size() / static_cast<std::int64_t>(elements_per_lane(
                                                          *array.matrix, kernel_.subgroup))
                                     : array.size() / array.vector;
      out_.line(
          fmt::format("{} {}[{}];  // {}",
                      array.matrix ? matrix_name(array) : element_name(array.type, array.vector),
                      array.name, count, array.layout));
    }
    body(kernel_.body);
    out_.outdent();
    out_.line("}");
    return out_.take();
  }

 private:
  // Registers that hold one element, or one vector, are no array.
  static bool is_single(const Array& array) {
    return array.space == Array::Space::registers && !array.matrix && array.size() == array.vector;
  }

  static Expr address_of(const ir::Element& element, const Array& array) {
    Expr address = 0;
    const std::vector<ir::Axis> axes = axes_of(element, array);
    for (std::size_t i = 0; i < axes.size(); ++i) {
      address = address + axes[i].stride * element.coordinates[i];
    }
    return address;
  }

  // The offset of an element in its array, in bytes and 64 bits; parts that fit a 32-bit index are computed in
  // 32 bits.
  static std::string bytes_to(const ir::Element& element, const Array& array) {
    std::vector<std::string> terms;
    for (std::size_t i = 0; needs_long_offsets(array) && i < array.axes.size(); ++i) {
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
    if (is_single(array)) return array.name;
    if (array.space == Array::Space::registers) {
      return fmt::format("{}[{}]", array.name, glsl::print(address / array.vector));
    }
    if (array.space == Array::Space::buffer) {
      return fmt::format("{}[{}]",
                         array_name(array.name, type_of(element, array).width, element.as_words),
                         glsl::print(ir::divide_exactly(address, element.width)));
    }
    const std::uint32_t width = shared_width(kernel_, array);
    if (element.width == width) {
      return fmt::format("{}[{}]", array.name, glsl::print(once(address / width, array.name)));
    }
    // Named only if both contain the whole address: simplification may have shortened one of them.
    const Expr block = address / width, rest = address % width;
    const bool twice = is_long(address) && is_of(block, address) && is_of(rest, address);
    const Expr at = twice ? named(address, array.name, "at") : address;
    return fmt::format("{}[{}][{}]", array.name, glsl::print(at / width), glsl::print(at % width));
  }

  static bool is_long(const Expr& index) { return glsl::print(index).size() > 24; }
  // Whether `e` is an operation directly on `operand`.
  static bool is_of(const Expr& e, const Expr& operand) {
    return !e->operands.empty() && &*e->operands[0] == &*operand;
  }

  // `index` of `array`, in which a repeated part has a name.
  Expr once(const Expr& index, const std::string& array) {
    const std::optional<Expr> part = repeated_part(index);
    return part ? replaced(index, *part, named(*part, array, "flat")) : index;
  }

  // A variable with the value of `index`, declared on the line before, or already in an open scope.
  Expr named(const Expr& index, const std::string& array, const char* what) {
    const std::string text = glsl::print(once(index, array));
    std::string& name = scopes_.back()[text];
    if (name.empty()) {
      const std::string wanted = fmt::format("{}_{}", array, what);
      name = wanted;
      for (int number = 2; !taken_.insert(name).second; ++number) {
        name = fmt::format("{}{}", wanted, number);
      }
      out_.line(fmt::format("uint {} = {};", name, text));
    }
    return ir::variable(name, ir::kIndex, index->bound, index->alignment);
  }

  void body(const ir::Body& statements) {
    out_.not_apart();
    scopes_.emplace_back();
    for (const ir::Stmt& statement : statements) {
      std::visit([this](const auto& s) { visit(s); }, statement.value);
    }
    for (const auto& [text, name] : scopes_.back()) taken_.erase(name);
    scopes_.pop_back();
  }

  void scope(const ir::Body& statements) {
    out_.indent();
    body(statements);
    out_.outdent();
    out_.line("}");
  }

  void visit(const ir::Let& s) {
    if (used_.count(s.name) == 0) return;
    out_.line(fmt::format("{} {} = {};", spell_type(s.value->type), s.name, glsl::print(s.value)));
  }
  void visit(const ir::Load& s) {
    const std::string from = element(s.from);
    out_.line(fmt::format("{} {} = {};", spell_type(type_of(s.from, *kernel_.find(s.from.array))),
                          s.name, is_disguised(s.from) ? bits_of_half(from) : from));
  }
  void visit(const ir::Store& s) {
    out_.line(fmt::format("{} = {};", element(s.to),
                          is_disguised(s.to) ? print_as_half(s.value) : glsl::print(s.value)));
  }
  void visit(const ir::If& s) { branches(s, ""); }
  void branches(const ir::If& s, const char* before) {
    out_.line(fmt::format("{}if ({}) {{", before, glsl::print(s.condition)));
    branch(s.body);
    if (s.otherwise.empty()) return out_.line("}");
    const auto* other = std::get_if<ir::If>(&s.otherwise.front().value);
    if (s.otherwise.size() == 1 && other != nullptr) return branches(*other, "} else ");
    out_.line("} else {");
    branch(s.otherwise);
    out_.line("}");
  }
  // A block that is a whole branch has no braces of its own.
  void branch(const ir::Body& statements) {
    const auto* block =
        statements.size() == 1 ? std::get_if<ir::Block>(&statements.front().value) : nullptr;
    out_.indent();
    if (block != nullptr) title(*block);
    body(block != nullptr ? block->body : statements);
    out_.outdent();
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
    out_.line(fmt::format("{0}for (uint {1} = 0u; {2}; ++{1}) {{", unroll_text(s.unroll),
                          s.variable, glsl::print(ir::less(ir::variable(s.variable), s.end))));
    scope(s.body);
  }
  void visit(const ir::Assume& s) { out_.line("// assumed: " + to_string(s)); }
  void visit(const ir::Barrier&) {
    out_.apart();
    out_.line("barrier();");
    out_.apart();
  }
  void visit(const ir::Subgroup& s) {
    out_.line(fmt::format("{} {} = {};", spell_type(ir::type_of(s)), s.name, subgroup_call(s)));
  }
  static std::string subgroup_call(const ir::Subgroup& s) {
    using Kind = ir::Subgroup::Kind;
    const auto* row = ir::reduction_op(s.combine);
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
    const char* combine = ir::reduction_op(s.combine)->glsl;
    out_.line(fmt::format("{} {} = atomic{}({}, {});",
                          element_name(kernel_.find(s.to.array)->type, 1), s.name, combine,
                          element(s.to), glsl::print(s.value)));
  }
  // Whether it is an element of such a matrix; other elements of bfloat16 are printed as bits.
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
  // The start of a region, its stride and its order: arguments of coopMatLoad and coopMatStore.
  std::string region(const ir::MatrixRegion& region) const {
    const Array& array = *kernel_.find(region.first.array);
    const bool is_buffer = array.space == Array::Space::buffer;
    const std::uint32_t width = is_buffer ? region.first.width : shared_width(kernel_, array);
    return fmt::format("{}, {}, {}, gl_CooperativeMatrixLayout{}Major",
                       is_buffer ? array_name(array.name, width) : array.name,
                       glsl::print(ir::divide_exactly(address_of(region.first, array), width)),
                       glsl::print(region.stride / width), region.by_columns ? "Column" : "Row");
  }
  void visit(const ir::MatrixLoad& s) {
    out_.line(fmt::format("coopMatLoad({}, {});", matrix(s.to), region(s.from)));
  }
  void visit(const ir::MatrixStore& s) {
    out_.line(fmt::format("coopMatStore({}, {});", matrix(s.from), region(s.to)));
  }
  void visit(const ir::MatrixFill& s) {
    out_.line(fmt::format("{} = {}({});", matrix(s.to), matrix_name(*kernel_.find(s.to.array)),
                          glsl::print(s.value)));
  }
  void visit(const ir::MatrixMultiply& s) {
    out_.line(fmt::format("{} = coopMatMulAdd({}, {}, {});", matrix(s.to), matrix(s.a), matrix(s.b),
                          matrix(s.c)));
  }
  void visit(const ir::Block& s) {
    out_.apart();
    title(s);
    if (needs_no_scope(s.body)) {
      std::visit([this](const auto& only) { visit(only); }, s.body.front().value);
    } else {
      out_.line("{");
      scope(s.body);
    }
    out_.apart();
  }
  // Whether it is a single statement that defines no names outside of its own braces.
  static bool needs_no_scope(const ir::Body& statements) {
    if (statements.size() != 1) return false;
    const auto& only = statements.front().value;
    return std::holds_alternative<ir::For>(only) || std::holds_alternative<ir::If>(only) ||
           std::holds_alternative<ir::Store>(only) || std::holds_alternative<ir::MatrixFill>(only);
  }
  void title(const ir::Block& s) {
    std::istringstream title(s.title);
    for (std::string text; std::getline(title, text);) out_.line(fmt::format("// {}", text));
  }

  const ir::Kernel& kernel_;
  std::set<std::string> used_;   // names used in expressions
  std::set<std::string> taken_;  // names of the kernel, and of named() in open scopes
  std::vector<std::map<std::string, std::string>>
      scopes_;  // variables declared by named(): text -> name
  Lines out_;
};

}  // namespace

std::string print(const ir::Kernel& kernel) {
  return kernel.hand_written ? kernel.hand_written->glsl : Printer(kernel).print();
}

}  // namespace vkmoye::gen::glsl
