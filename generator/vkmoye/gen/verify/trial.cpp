#include "vkmoye/gen/verify/trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/twin/twin.hpp"

namespace vkmoye::gen {
namespace {

using Sizes = std::map<std::string, std::int64_t>;

// How large the sizes of a trial are.
enum class Grid : std::uint8_t { ragged, whole, one };  // a tile and one, two whole tiles, 1
struct Trial {
  Grid grid;
  std::int64_t looped;  // an extent that loops walk along, not the grid
  std::int64_t gap;     // between rows whose step is an argument
  std::int64_t other;   // an argument that is neither an extent nor a step
};

constexpr Trial kTrials[] = {
    {Grid::ragged, 19, 3, 0}, {Grid::whole, 32, 16, 3}, {Grid::one, 1, 0, 1}};

std::int64_t round_up(std::int64_t value, std::int64_t step) {
  return (value + step - 1) / step * step;
}

// The names that an extent is made of.
std::vector<std::string> symbols_of(const Extent& extent) {
  std::vector<std::string> out;
  if (extent.is_symbol()) out.push_back(extent.symbol);
  if (!extent.times.empty()) out.push_back(extent.times);
  return out;
}

void enlarge(Sizes& sizes, const std::string& name, std::int64_t value) {
  std::int64_t& size = sizes[name];
  size = std::max(size, value);
}

// The extents along which the grid counts tiles.
void take_grid(const ir::Kernel& kernel, const Trial& trial, Sizes& sizes) {
  for (const GridDimension& dimension : kernel.grid) {
    const auto names = symbols_of(dimension.extent);
    const std::int64_t tile = dimension.tile;
    const std::int64_t wanted = trial.grid == Grid::ragged  ? std::max<std::int64_t>(tile + 1, 3)
                                : trial.grid == Grid::whole ? round_up(2 * tile, 16)
                                                            : 1;
    // Of single elements two or three do.
    const std::int64_t size = tile == 1 ? std::min<std::int64_t>(wanted, 2) : wanted;
    if (names.size() == 1) enlarge(sizes, names[0], size);
    if (names.size() != 2) continue;
    // A product of sizes: the first about a square root of it.
    std::int64_t first = 1;
    while (first * first < size) ++first;
    if (trial.grid == Grid::whole) first = round_up(first, 16);
    enlarge(sizes, names[0], first);
    enlarge(sizes, names[1], (size + first - 1) / first);
  }
}

std::int64_t value_of(const ir::Expr& e, const Sizes& sizes) {
  if (is_constant(e)) return static_cast<std::int64_t>(e->value);
  if (e->op == ir::Op::variable) return sizes.contains(e->name) ? sizes.at(e->name) : 0;
  if (e->op != ir::Op::multiply) return 0;
  return value_of(e->operands[0], sizes) * value_of(e->operands[1], sizes);
}

// The other extents, then the steps from row to row: no smaller than what they step over.
void take_arrays(const ir::Kernel& kernel, const Trial& trial, Sizes& sizes) {
  for (const ir::Array& array : kernel.arrays) {
    for (const ir::Axis& axis : array.axes) {
      for (const std::string& name : symbols_of(axis.extent)) sizes.try_emplace(name, trial.looped);
    }
  }
  Sizes steps;
  for (const ir::Array& array : kernel.arrays) {
    std::int64_t span = 1;
    for (const ir::Axis& axis : array.axes) {
      // Of a product of arguments, one is as large as all that is stepped over.
      for (const std::string& name : symbols_of(ir::extent_from(axis.stride).value_or(1))) {
        if (!sizes.contains(name)) enlarge(steps, name, span + trial.gap);
      }
      Sizes all = sizes;
      all.insert(steps.begin(), steps.end());
      const std::int64_t step = value_of(axis.stride, all);
      span = std::max(span, step * value_of(ir::extent_of(axis), sizes));
    }
  }
  sizes.merge(steps);
}

Arguments arguments_of(const ir::Kernel& kernel, const Trial& trial, const Sizes& sizes) {
  Arguments out;
  for (const PushConstant& argument : kernel.arguments) {
    if (argument.type != ScalarType::u32 || argument.name.starts_with("first_group")) continue;
    const auto found = sizes.find(argument.name);
    out[argument.name] = found == sizes.end() ? trial.other : found->second;
  }
  return out;
}

std::string text_of(const Arguments& sizes) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : sizes) parts.push_back(name + " = " + to_string(value));
  return parts.empty() ? "" : " (" + join(parts, ", ") + ")";
}

}  // namespace

std::vector<Arguments> trial_sizes(const ir::Kernel& kernel) {
  std::vector<Arguments> out;
  for (const Trial& trial : kTrials) {
    Sizes sizes;
    take_grid(kernel, trial, sizes);
    take_arrays(kernel, trial, sizes);
    Arguments arguments = arguments_of(kernel, trial, sizes);
    if (std::find(out.begin(), out.end(), arguments) == out.end()) {
      out.push_back(std::move(arguments));
    }
  }
  return out;
}

std::vector<std::string> try_sizes(const ir::Kernel& kernel) {
  std::vector<std::string> reasons;
  for (const Arguments& sizes : trial_sizes(kernel)) {
    std::vector<std::string> found;
    try {
      found = watch(kernel, sizes).reasons;
    } catch (const ArgumentError& error) {
      found.push_back(error.what());
    }
    for (const std::string& reason : found) reasons.push_back(reason + text_of(sizes));
    if (!reasons.empty()) break;
  }
  return reasons;
}

}  // namespace vkmoye::gen
