// SPDX-License-Identifier: MIT
#include "vkmoye/gen/analysis/sites.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <tuple>

#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/glsl/print.hpp"
#include "vkmoye/gen/ir/effects.hpp"

namespace vkmoye::gen {
namespace {

using ir::Expr;
using ir::Op;

struct Path {
  std::vector<std::string> parts;  // conditions, all of which hold
  std::string remainder;           // see Site

  std::string text() const { return join(parts, ", "); }
};

// `e` with the coordinates of the workgroup as in the text of a kernel: block_y for gl_WorkGroupID.y + first_group_y.
Expr with_block_names(const Expr& e) {
  constexpr const char* kBlockNames[] = {"block_x", "block_y", "block_z"};
  if (e->op == Op::add) {
    const auto dimension = ir::grid_dimension_of(e->operands[0]);
    const Expr& first = e->operands[1];
    if (dimension && first->op == Op::variable && first->name == kFirstGroup[*dimension]) {
      return ir::variable(kBlockNames[*dimension]);
    }
  }
  std::vector<Expr> operands;
  for (const Expr& operand : e->operands) operands.push_back(with_block_names(operand));
  return ir::with_operands(e, operands);
}

// `expression` for a reader: "k > 0" for 0u < k.
std::string text_of(const Expr& expression) {
  const Expr e = with_block_names(expression);
  const bool is_turned = e->op == Op::less && e->operands[0]->type == ir::kIndex &&
                         ir::is_constant(e->operands[0]) && !ir::is_constant(e->operands[1]);
  const std::string text =
      is_turned ? fmt::format("{} > {}", glsl::print(e->operands[1]), e->operands[0]->value)
                : glsl::print(e);
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {  // 32u is written 32
    const bool is_suffix =
        text[i] == 'u' && i > 0 && std::isdigit(text[i - 1]) != 0 &&
        (i + 1 == text.size() || (std::isalnum(text[i + 1]) == 0 && text[i + 1] != '_'));
    if (!is_suffix) out += text[i];
  }
  return out;
}

// Adds `part`, unless it follows from the others: k != 0 from k > 0.
void add_condition(std::vector<std::string>& parts, const std::string& part) {
  const std::string positive = " > 0", nonzero = " != 0";
  for (std::string& other : parts) {
    if (other == part) return;
    const auto of = [](const std::string& text, const std::string& end) {
      return text.ends_with(end) ? text.substr(0, text.size() - end.size()) : "";
    };
    const std::string mine = of(part, positive), theirs = of(other, positive);
    if (!theirs.empty() && of(part, nonzero) == theirs) return;
    if (!mine.empty() && of(other, nonzero) == mine) {
      other = part;
      return;
    }
  }
  parts.push_back(part);
}

// The factor n of a comparison `value % n == 0`.
std::optional<std::uint32_t> factor_in(const Expr& part) {
  if (part->op != Op::equal || !ir::is_constant(part->operands[1], 0)) return std::nullopt;
  const Expr& remainder = part->operands[0];
  if (remainder->op != Op::modulo || !ir::is_constant(remainder->operands[1])) return std::nullopt;
  return remainder->operands[1]->value;
}

// In words: "cols and rows are multiples of 4", "cols or rows is no multiple of 4"; with other comparisons first:
// "32 * block_x + 31 < cols, cols is a multiple of 4".
Path path_of(const Expr& condition, bool holds) {
  ir::Guards parts;
  ir::add_guards(parts, condition);
  std::vector<std::string> others;
  std::map<std::uint32_t, std::vector<std::string>> multiples;  // by factor
  for (const Expr& part : parts) {
    if (const auto factor = factor_in(part)) {
      multiples[*factor].push_back(text_of(part->operands[0]->operands[0]));
    } else {
      add_condition(others, text_of(part));
    }
  }
  const bool edges = !others.empty(), sizes = !multiples.empty();
  const std::string remainder = edges && sizes
                                    ? "the path for edges and for sizes that are not multiples"
                                : sizes ? "the path for sizes that are not multiples"
                                        : "the path for what is left";
  if (!holds && !edges && multiples.size() == 1) {
    const auto& [factor, names] = *multiples.begin();
    return {{fmt::format("{} is no multiple of {}", join(names, " or "), factor)}, remainder};
  }
  std::vector<std::string> all = others;
  for (const auto& [factor, names] : multiples) {
    all.push_back(names.size() == 1
                      ? fmt::format("{} is a multiple of {}", names[0], factor)
                      : fmt::format("{} are multiples of {}", join(names, " and "), factor));
  }
  if (holds) return {all, ""};
  return {{fmt::format("not ({})", join(all, ", "))}, remainder};
}

Path both(const Path& outer, const Path& inner) {
  Path out{outer.parts, inner.remainder.empty() ? outer.remainder : inner.remainder};
  for (const std::string& part : inner.parts) add_condition(out.parts, part);
  return out;
}

// The title of a copy, line by line:
//
//   a whole tile:                                    the case that it handles, if there are several
//   copy partition(tile(a, (32,128)), (32,32)) at (0, 128 block_x)      a view, and where its tile starts
//     to next_a

// "a whole tile"; empty: there is no case.
std::string case_in(const std::string& title) {
  const std::string first = title.substr(0, title.find('\n'));
  return first.ends_with(':') ? first.substr(0, first.size() - 1) : "";
}

// "at (0, 128 block_x)": where the tile of `view` starts; empty: the title does not say it.
std::string start_in(const std::string& title, const std::string& view) {
  for (const std::string& line : split(title, '\n')) {
    for (const char* before : {"", "copy ", "  to ", "load ", "  into ", "store "}) {
      const std::string start = before + view + " ";
      if (line.starts_with(start + "at ")) return line.substr(start.size());
    }
  }
  return "";
}

class Finder {
 public:
  explicit Finder(const ir::Kernel& kernel)
      : kernel_(kernel), guards_(ir::guards_of_launch(kernel)) {
    walk(kernel.body, {}, {});
  }
  Sites sites;

 private:
  // The innermost block around a statement, and its title.
  // Of a function, all calls are one place.
  struct Place {
    const ir::Body* block = nullptr;
    std::string title = {}, function = {};
  };
  static Place place_in(const ir::Titled& block, const ir::Body* body, const Place& outside) {
    const std::string& function = block.function.empty() ? outside.function : block.function;
    return {function.empty() ? body : nullptr, block.title, function};
  }

  void walk(const ir::Body& body, const Path& path, const Place& place) {
    const ir::Definitions definitions = definitions_;
    for (const ir::Stmt& statement : body) visit(statement, path, place);
    definitions_ = definitions;
  }

  // Whether `e` depends only on sizes and on the workgroup, so that it is the same in all its threads and in every
  // round of a loop.
  bool is_uniform(const Expr& e) const {
    if (e->op == Op::builtin) return ir::grid_dimension_of(e).has_value();
    if (e->op == Op::variable) {
      const auto name = definitions_.find(e->name);
      if (name != definitions_.end()) return is_uniform(name->second);
      return std::any_of(kernel_.arguments.begin(), kernel_.arguments.end(),
                         [&](const auto& argument) { return argument.name == e->name; });
    }
    return std::all_of(e->operands.begin(), e->operands.end(),
                       [&](const Expr& operand) { return is_uniform(operand); });
  }

  void visit(const ir::Stmt& statement, const Path& path, const Place& place) {
    const ir::Effects effects = effects_of(statement, kernel_);
    for (const ir::StatementAccess& access : effects.accesses)
      add(*access.element, access.writes, path, place);
    for (const ir::Definition& d : effects.defines) {
      if (!d.is_data) ir::add_definition(definitions_, d.name, d.value);
    }
    const auto* block = std::get_if<ir::Titled>(&statement.value);
    for (const ir::NestedBody& inner : effects.nested) {
      const bool is_choice = inner.condition != nullptr && !inner.repeats;
      const bool chosen = is_choice && is_uniform(*inner.condition);
      const std::size_t guards = guards_.size();
      ir::add_guards(guards_, inner);
      walk(*inner.body, chosen ? both(path, path_of(*inner.condition, inner.holds)) : path,
           block == nullptr ? place : place_in(*block, inner.body, place));
      guards_.resize(guards, Expr(0));
    }
  }

  void add(const ir::Element& element, bool writes, const Path& path, const Place& place) {
    const ir::Array* array = kernel_.find(element.array);
    const bool in_memory = array != nullptr && (array->is_buffer() || array->is_shared());
    if (!in_memory) return;
    const std::string within = place.function.empty() ? "" : place.function + place.title;
    const Key key{place.block,         within,      element.array, writes,
                  element.source_text, path.text(), element.width};
    const auto [found, is_new] = keys_.emplace(key, sites.list.size());
    if (is_new) {
      sites.list.push_back({array,
                            writes,
                            element.source_text,
                            path.text(),
                            case_in(place.title),
                            start_in(place.title, element.source_text),
                            path.remainder,
                            element.width,
                            element.not_wider,
                            guards_,
                            {}});
    }
    sites.index.emplace(&element, found->second);
    Site& site = sites.list[found->second];
    if (array->is_buffer()) {
      add_bounds(element, site);
    } else if (is_new) {
      site.bounds = {
          fmt::format("every index was checked to be below {}", to_string(array->axes[0].extent))};
    }
  }

  void add_bounds(const ir::Element& element, Site& site) {
    const std::vector<ir::Axis> axes = axes_of(element, *site.array);
    const std::size_t rank = std::min(element.coordinates.size(), axes.size());
    for (std::size_t i = 0; i < rank; ++i) {
      const ir::Axis& axis = axes[i];
      const auto proof = ir::prove_in_range(element.coordinates[i], axis, guards_, definitions_);
      std::string text;
      if (!proof) {
        text = fmt::format("NOTHING keeps {} below {}", axis.coordinate, to_string(axis.extent));
      } else if (proof->guard) {
        text = fmt::format("guard {}", text_of(*proof->guard));
      } else {
        text = fmt::format("{} is always below {}", axis.coordinate, to_string(axis.extent));
      }
      if (std::find(site.bounds.begin(), site.bounds.end(), text) == site.bounds.end()) {
        site.bounds.push_back(std::move(text));
      }
    }
  }

  using Key = std::tuple<const ir::Body*, std::string, std::string, bool, std::string, std::string,
                         std::uint32_t>;

  const ir::Kernel& kernel_;
  ir::Guards guards_;
  ir::Definitions definitions_;
  std::map<Key, std::size_t> keys_;
};

}  // namespace

Sites find_sites(const ir::Kernel& kernel) { return Finder(kernel).sites; }

}  // namespace vkmoye::gen
