#include "vkmoye/gen/analysis/sites.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/glsl/print.hpp"

namespace vkmoye::gen {
namespace {

using ir::Expr;
using ir::Op;

// Whether `e` is made of run-time sizes and numbers alone.
bool is_of_sizes(const Expr& e, const ir::Kernel& kernel) {
  if (e->op == Op::builtin) return false;
  if (e->op == Op::variable) {
    return std::find(kernel.arguments.begin(), kernel.arguments.end(), e->name) !=
           kernel.arguments.end();
  }
  return std::all_of(e->operands.begin(), e->operands.end(),
                     [&](const Expr& operand) { return is_of_sizes(operand, kernel); });
}

struct Path {
  std::string text;
  bool is_remainder = false;
};

// In words: "cols and rows are multiples of 4", "cols or rows is no multiple of 4".
Path path_of(const Expr& condition, bool holds) {
  ir::Guards parts;
  ir::add_guards(parts, condition);
  std::vector<std::string> names;
  for (const Expr& part : parts) {
    const Expr& remainder = part->operands[0];
    const bool is_multiple = part->op == Op::equal && ir::is_constant(part->operands[1], 0) &&
                             remainder->op == Op::modulo &&
                             ir::is_constant(remainder->operands[1]) &&
                             same(remainder->operands[1], parts[0]->operands[0]->operands[1]);
    if (!is_multiple) {
      names.clear();
      break;
    }
    names.push_back(glsl::print(remainder->operands[0]));
  }
  if (names.empty()) {
    const std::string text = glsl::print(condition);
    return {holds ? text : fmt::format("not ({})", text)};
  }
  const std::uint32_t factor = parts[0]->operands[0]->operands[1]->value;
  if (!holds) return {fmt::format("{} is no multiple of {}", join(names, " or "), factor), true};
  return {names.size() == 1 ? fmt::format("{} is a multiple of {}", names[0], factor)
                            : fmt::format("{} are multiples of {}", join(names, " and "), factor)};
}

Path both(const Path& outer, const Path& inner) {
  if (outer.text.empty()) return inner;
  return {outer.text + ", " + inner.text, outer.is_remainder || inner.is_remainder};
}

class Finder {
 public:
  explicit Finder(const ir::Kernel& kernel) : kernel_(kernel) { walk(kernel.body, {}); }
  Sites sites;

 private:
  void walk(const ir::Body& body, const Path& path) {
    for (const ir::Stmt& statement : body) {
      std::visit([&](const auto& s) { visit(s, path); }, statement.value);
    }
  }

  void visit(const ir::Let&, const Path&) {}
  void visit(const ir::Barrier&, const Path&) {}
  void visit(const ir::Load& s, const Path& path) { add(s.from, false, path); }
  void visit(const ir::Store& s, const Path& path) { add(s.to, true, path); }
  void visit(const ir::For& s, const Path& path) { walk(s.body, path); }
  void visit(const ir::Block& s, const Path& path) {
    const ir::Block* outer = block_;
    block_ = &s;
    walk(s.body, path);
    block_ = outer;
  }
  void visit(const ir::If& s, const Path& path) {
    const bool of_sizes = is_of_sizes(s.condition, kernel_);
    const std::size_t guards = guards_.size();
    ir::add_guards(guards_, s.condition);
    walk(s.body, of_sizes ? both(path, path_of(s.condition, true)) : path);
    guards_.resize(guards, Expr(0));
    walk(s.otherwise, of_sizes ? both(path, path_of(s.condition, false)) : path);
  }

  void add(const ir::Element& element, bool writes, const Path& path) {
    const ir::Array* array = kernel_.find(element.array);
    const bool in_memory = array != nullptr && (array->space == ir::Array::Space::buffer ||
                                                array->space == ir::Array::Space::shared);
    if (!in_memory) return;
    const Key key{block_, element.array, writes, element.partition, path.text, element.width};
    const auto [found, is_new] = keys_.emplace(key, sites.list.size());
    if (is_new) {
      sites.list.push_back({array,
                            writes,
                            element.partition,
                            path.text,
                            path.is_remainder,
                            element.width,
                            guards_,
                            {}});
    }
    sites.index.emplace(&element, found->second);
    Site& site = sites.list[found->second];
    if (array->space == ir::Array::Space::buffer) {
      add_bounds(element, site);
    } else if (is_new) {
      site.bounds = {fmt::format("every index, followed one by one, is below {}",
                                 to_string(array->axes[0].extent))};
    }
  }

  void add_bounds(const ir::Element& element, Site& site) {
    const std::size_t rank = std::min(element.coordinates.size(), site.array->axes.size());
    for (std::size_t i = 0; i < rank; ++i) {
      const ir::Axis& axis = site.array->axes[i];
      const auto proof = ir::prove_in_range(element.coordinates[i], axis, guards_);
      std::string text;
      if (!proof) {
        text = fmt::format("NOTHING keeps {} below {}", axis.coordinate, to_string(axis.extent));
      } else if (proof->guard) {
        text = fmt::format("guard {}", glsl::print(*proof->guard));
      } else {
        text = fmt::format("{} is below {} by itself", axis.coordinate, to_string(axis.extent));
      }
      if (std::find(site.bounds.begin(), site.bounds.end(), text) == site.bounds.end()) {
        site.bounds.push_back(std::move(text));
      }
    }
  }

  using Key =
      std::tuple<const ir::Block*, std::string, bool, std::string, std::string, std::uint32_t>;

  const ir::Kernel& kernel_;
  const ir::Block* block_ = nullptr;
  ir::Guards guards_;
  std::map<Key, std::size_t> keys_;
};

}  // namespace

Sites find_sites(const ir::Kernel& kernel) { return Finder(kernel).sites; }

}  // namespace vkmoye::gen
