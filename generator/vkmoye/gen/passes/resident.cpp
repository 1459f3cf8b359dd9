// SPDX-License-Identifier: MIT
#include "vkmoye/gen/passes/resident.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/reasons.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/ir/grid_barrier.hpp"
#include "vkmoye/gen/ir/traversal.hpp"
#include "vkmoye/gen/ir/with_values.hpp"
#include "vkmoye/gen/passes/fixed_sizes.hpp"
#include "vkmoye/gen/passes/widened.hpp"

namespace vkmoye::gen {
namespace {

using ir::Array;
using ir::Body;
using ir::Expr;
using ir::Stmt;

std::vector<KernelStep> steps_of(const KernelPlan& plan) {
  return {plan.steps.begin() +
              static_cast<std::ptrdiff_t>(std::min(plan.beforehand, plan.steps.size())),
          plan.steps.end()};
}

std::uint32_t threads_of(const std::vector<KernelStep>& steps) {
  std::uint32_t threads = 1;
  for (const KernelStep& step : steps) threads = std::max(threads, step.kernel.threads);
  return threads;
}

void check_step(const KernelStep& step, std::uint32_t threads, Reasons& reasons) {
  const ir::Kernel& kernel = step.kernel;
  const auto require = [&](bool holds, const std::string& why) {
    if (!holds) reasons.add(fmt::format("{}: {}", kernel.name, why));
  };
  require(!step.indirect, "its workgroups are counted on the device");
  require(!kernel.hand_written, "its shader was written by hand");
  require(!kernel.arguments_in_buffer, "it reads sizes from a buffer");
  require(kernel.specialised.empty(), "it has specialisation constants");
  require(!ir::has_phases(kernel), "its workgroups wait for each other already");
  for (const Array& array : kernel.arrays) {
    require(array.addressing == Addressing::descriptor,
            fmt::format("it reaches {} by a pointer", array.name));
  }
  if (kernel.threads == threads) return;
  for (const std::string& why : reasons_against_widening(kernel, threads)) require(false, why);
}

// The coordinates of a workgroup, as a Builder names them.
constexpr std::array<const char*, 3> kBlocks = {"block_x", "block_y", "block_z"};

bool is_coordinate_of_block(const Stmt& statement) {
  const auto* let = std::get_if<ir::Let>(&statement.value);
  return let != nullptr && std::find(kBlocks.begin(), kBlocks.end(), let->name) != kBlocks.end();
}

// A step for the sizes of the plan.
KernelStep baked(const KernelStep& step) {
  Arguments sizes;
  for (const std::string& name : fixable_sizes(step.kernel)) {
    const auto value = step.arguments.find(name);
    if (value != step.arguments.end()) sizes.insert(*value);
  }
  KernelStep out = step;
  out.kernel = bake(step.kernel, sizes);
  return out;
}

class Composer {
 public:
  Composer(const KernelPlan& plan, std::int64_t groups, bool is_on_cpu = false)
      : plan_(plan), steps_(steps_of(plan)) {
    const KernelStep& main = plan.steps.at(plan.main);
    kernel_.name = main.kernel.name;
    kernel_.why = "steps of one launch, between which all workgroups wait for each other";
    kernel_.grid = {GridDimension{groups}, {}, {}};
    kernel_.arrivals = "arrivals";
    // Threads of a CPU may have to wait until others have had their turn.
    if (is_on_cpu) kernel_.most_polls = std::uint32_t{1} << 30;
    kernel_.summing_threads = main.kernel.summing_threads;
    kernel_.threads = threads_of(steps_);
    std::vector<std::string> names;
    for (const KernelStep& step : steps_) {
      names.push_back(step.kernel.name);
      kernel_.subgroup_size = std::max(kernel_.subgroup_size, step.kernel.subgroup_size);
    }
    kernel_.config = {{"steps", join(names, ", ")}, {"groups", std::to_string(groups)}};
    taken_.insert(kernel_.arrivals);
  }

  // Composes the kernel. Returns why that is impossible; empty: `plan` has it.
  std::vector<std::string> compose() {
    if (steps_.size() < 2)
      reasons_.add(fmt::format("{} step: there is nothing to wait for", steps_.size()));
    for (const KernelStep& step : steps_) {
      check_step(step, kernel_.threads, reasons_);
      const std::uint32_t lanes = step.kernel.subgroup_size;
      if (lanes == 0 || lanes == kernel_.subgroup_size) continue;
      reasons_.add(fmt::format("{}: it has subgroups of {} lanes, another step of {}",
                               step.kernel.name, lanes, kernel_.subgroup_size));
    }
    if (reasons_.empty()) add_steps();
    return reasons_.list();
  }

  KernelPlan plan() && {
    KernelPlan out = plan_;
    out.steps.resize(plan_.beforehand);
    out.main = plan_.beforehand;
    arrays_.push_back(plan_.arrays.size() + plan_.scratch.size());
    out.scratch.push_back({"arrivals", ir::kArrivals * sizeof(std::uint32_t)});
    kernel_.arrays.push_back(ir::arrivals_of(kernel_));
    out.steps.push_back({std::move(kernel_), std::move(arguments_), std::move(arrays_)});
    return out;
  }

 private:
  void add_steps() {
    for (KernelStep& step : steps_) {
      step = baked(step);
      if (step.kernel.threads != kernel_.threads)
        step.kernel = widened(step.kernel, kernel_.threads);
      std::size_t binding = 0;
      for (const Array& array : step.kernel.arrays) {
        if (!array.is_buffer()) continue;
        const auto [known, is_new] = axes_.try_emplace(step.arrays.at(binding++), array.axes);
        if (!ir::is_same(known->second, array.axes)) flatten(known->second);
      }
    }
    for (const KernelStep& step : steps_) {
      if (!kernel_.body.empty()) kernel_.body.emplace_back(ir::GridBarrier{});
      add(step);
    }
    name_shared_memory();
  }

  // Makes the axes of an array one, if they are compact.
  static void flatten(std::vector<ir::Axis>& axes) {
    const auto elements = ir::compact_elements(axes);
    if (!elements) return;
    axes.resize(1);
    axes.front().coordinate = "element";
    axes.front().extent = *elements;
    axes.front().stride = 1;
  }

  void add(const KernelStep& step) {
    const ir::Kernel& kernel = step.kernel;
    names_.clear();
    own_axes_.clear();
    values_.clear();
    functions_.clear();
    for (const PushConstant& argument : kernel.arguments) add(argument, step.arguments);
    std::size_t binding = 0;
    for (const Array& array : kernel.arrays) {
      if (array.is_buffer()) {
        add_buffer(array, step.arrays.at(binding++), kernel.name);
      } else if (!array.is_shared()) {
        add_local(array);
      }
    }
    for (const Array* array : largest_first(kernel))
      add_shared(*array, kernel.widths_of(array->name));
    for (ir::Assumption one : kernel.assumptions) {
      one.array = names_.at(one.array);
      one.phase = step_number();
      kernel_.assumptions.push_back(std::move(one));
    }
    const Body& body = kernel.body;
    ir::GridLoop blocks{kernel.name, {}, kernel.grid, {}};
    std::copy(kBlocks.begin(), kBlocks.end(), blocks.variables.begin());
    Body inside;
    std::copy_if(body.begin(), body.end(), std::back_inserter(inside),
                 [](const Stmt& statement) { return !is_coordinate_of_block(statement); });
    blocks.body = renamed(inside);
    kernel_.body.emplace_back(std::move(blocks));
  }

  // One with the same value may be that of an earlier step.
  void add(const PushConstant& argument, const Arguments& values) {
    const auto value = values.find(argument.name);
    if (is_first_group(argument.name) || value == values.end()) return;
    std::string name = argument.name;
    const auto is_taken = [&] {
      const auto known = arguments_.find(name);
      if (known == arguments_.end()) return taken_.contains(name);
      const auto& all = kernel_.arguments;
      const PushConstant wanted(name, argument.type);
      return known->second != value->second ||
             std::find(all.begin(), all.end(), wanted) == all.end();
    };
    for (int number = 2; is_taken(); ++number) name = fmt::format("{}_{}", argument.name, number);
    if (arguments_.emplace(name, value->second).second)
      kernel_.arguments.emplace_back(name, argument.type);
    if (name != argument.name)
      values_.insert_or_assign(argument.name, ir::variable(name, ir::element(argument.type)));
    taken_.insert(name);
  }

  std::string free_name(const std::string& wanted) {
    std::string name = wanted;
    for (int number = 2; !taken_.insert(name).second; ++number)
      name = fmt::format("{}_{}", wanted, number);
    return name;
  }

  void add_buffer(const Array& array, std::size_t number, const std::string& user) {
    const auto place = std::find(arrays_.begin(), arrays_.end(), number);
    const bool is_new = place == arrays_.end();
    if (is_new) {
      Array own = array;
      own.name = free_name(array.name);
      own.axes = axes_.at(number);
      own.is_scratch = number >= plan_.arrays.size() && !is_written_beforehand(number);
      if (own.is_scratch) own.access = Access::read_write;
      kernel_.arrays.insert(kernel_.arrays.begin() + static_cast<std::ptrdiff_t>(arrays_.size()),
                            own);
      arrays_.push_back(number);
    }
    Array& known = kernel_.arrays[is_new ? arrays_.size() - 1
                                         : static_cast<std::size_t>(place - arrays_.begin())];
    names_[array.name] = known.name;
    // A result that later steps read.
    if (known.access == Access::write && array.access != Access::write) known.is_scratch = true;
    if (known.access != array.access) known.access = Access::read_write;
    if (known.type == array.type && ir::is_same(known.axes, array.axes)) return;
    const auto elements = ir::compact_elements(array.axes);
    if (known.axes.size() == 1 && known.type == array.type && elements &&
        elements == ir::compact_elements(known.axes)) {
      own_axes_[array.name] = array.axes;
    } else {
      reasons_.add(
          fmt::format("{}: its array {} has another type or other extents than {} of another step",
                      user, array.name, known.name));
    }
  }

  // By a step that is not part of the launch.
  bool is_written_beforehand(std::size_t number) const {
    for (std::size_t s = 0; s < plan_.beforehand; ++s) {
      const KernelStep& step = plan_.steps[s];
      const std::vector<Binding> bindings = ir::interface_of(step.kernel).bindings;
      for (std::size_t b = 0; b < bindings.size(); ++b) {
        if (step.arrays[b] == number && bindings[b].access != Access::read) return true;
      }
    }
    return false;
  }

  void add_local(const Array& array) {
    Array own = array;
    own.name = names_[array.name] = free_name(array.name);
    kernel_.arrays.push_back(std::move(own));
  }

  // The shared arrays of `kernel`. The largest one chooses its memory first.
  static std::vector<const Array*> largest_first(const ir::Kernel& kernel) {
    std::vector<const Array*> arrays;
    for (const Array& array : kernel.arrays) {
      if (array.is_shared()) arrays.push_back(&array);
    }
    std::stable_sort(arrays.begin(), arrays.end(),
                     [](const Array* a, const Array* b) { return a->size() > b->size(); });
    return arrays;
  }

  // Whether a kernel can access one array in all of these widths: single elements, and vectors of one width, which are
  // not packed if there are single ones.
  static bool can_share(ScalarType type, const std::vector<std::uint32_t>& a,
                        const std::vector<std::uint32_t>& b) {
    std::set<std::uint32_t> widths(a.begin(), a.end());
    widths.insert(b.begin(), b.end());
    const bool has_single = widths.erase(1) != 0;
    if (widths.size() > 1) return false;
    return widths.empty() || !has_single || !ir::is_packed(type, *widths.begin());
  }

  // In the memory of a shared array of an earlier step with the same type: the smallest that is free and large enough,
  // else the largest one, which becomes larger.
  void add_shared(const Array& array, const std::vector<std::uint32_t>& widths) {
    Shared* best = nullptr;
    for (Shared& one : shared_) {
      if (one.step == step_number() || one.type != array.type || array.axes.size() != 1 ||
          !can_share(array.type, one.widths, widths))
        continue;
      const auto fits = [&](const Shared& it) { return it.elements >= array.size(); };
      const bool is_better =
          best == nullptr ||
          (fits(one) != fits(*best) ? fits(one) : fits(one) == (one.elements < best->elements));
      if (is_better) best = &one;
    }
    if (best == nullptr) {
      add_local(array);
      shared_.push_back({names_.at(array.name),
                         array.type,
                         widths,
                         array.size(),
                         step_number(),
                         {array.name + " " + array.layout}});
      return;
    }
    best->held.push_back(array.name + " " + array.layout);
    best->step = step_number();
    best->widths.insert(best->widths.end(), widths.begin(), widths.end());
    names_[array.name] = best->name;
    Array& known = *std::find_if(kernel_.arrays.begin(), kernel_.arrays.end(),
                                 [&](const Array& one) { return one.name == best->name; });
    const auto of_widest = static_cast<std::int64_t>(16 / size_of(array.type));  // access
    best->elements = std::max(array.size(), known.size());
    best->elements = (best->elements + of_widest - 1) / of_widest * of_widest;
    known.axes.front().extent = best->elements;
  }
  // Memory of arrays of several steps gets a name of its own; titles of statements still have theirs.
  void name_shared_memory() {
    names_.clear();
    for (Array& array : kernel_.arrays) {
      const auto memory = std::find_if(shared_.begin(), shared_.end(), [&](const Shared& one) {
        return one.name == array.name && one.held.size() > 1;
      });
      if (memory == shared_.end()) continue;
      array.layout = fmt::format("{}", fmt::join(memory->held, ", "));
      array.name = names_[array.name] = free_name("shared_memory");
    }
    if (names_.empty()) return;
    kernel_.body = with_names_of_arrays(kernel_.body);
    for (ir::Assumption& one : kernel_.assumptions) rename(one.array);
  }
  void rename(std::string& array) const {
    const auto known = names_.find(array);
    if (known != names_.end()) array = known->second;
  }
  Body with_names_of_arrays(const Body& body) const {
    Body out;
    for (const Stmt& statement : body) {
      out.push_back(ir::rewritten(
          statement, [](const Expr& e) { return e; },
          [&](const Body& inner) { return with_names_of_arrays(inner); },
          [&](std::string& array, ir::Element*) { rename(array); }));
    }
    return out;
  }
  std::size_t step_number() const { return kernel_.body.size() / 2; }

  Body renamed(const Body& body) {
    Body out;
    for (const Stmt& statement : body) {
      Stmt own = ir::rewritten(
          statement, [&](const Expr& e) { return ir::with_values(e, values_); },
          [&](const Body& inner) { return renamed(inner); },
          [&](std::string& array, ir::Element* element) {
            const auto axes = own_axes_.find(array);
            if (element != nullptr && axes != own_axes_.end() && element->coordinates.size() > 1)
              element->axes = axes->second;
            rename(array);
          });
      auto* block = std::get_if<ir::Titled>(&own.value);
      if (block != nullptr && !block->function.empty()) {
        const auto [known, is_new] = functions_.try_emplace(block->function);
        if (is_new) known->second = free_name(block->function);
        block->function = known->second;
      }
      out.push_back(std::move(own));
    }
    return out;
  }

  // A shared array, and the last step that uses it.
  struct Shared {
    std::string name;
    ScalarType type;
    std::vector<std::uint32_t> widths;
    std::int64_t elements;
    std::size_t step;
    std::vector<std::string> held;  // the arrays in it, with their layouts
  };

  const KernelPlan& plan_;
  std::vector<KernelStep> steps_;
  Reasons reasons_;
  ir::Kernel kernel_;
  Arguments arguments_;
  std::vector<std::size_t> arrays_;  // of the plan, by binding
  // Of the arrays of the plan: one axis where steps see different ones.
  std::map<std::size_t, std::vector<ir::Axis>> axes_;
  std::vector<Shared> shared_;
  std::set<std::string> taken_;  // names in the whole kernel
  // Of the step that is being added: new names of its arrays and functions, values of its arguments.
  std::map<std::string, std::string> names_, functions_;
  std::map<std::string, std::vector<ir::Axis>> own_axes_;  // of arrays that others see differently
  ir::Values values_;
};

}  // namespace

std::vector<std::string> reasons_against_resident(const KernelPlan& plan) {
  return Composer(plan, 1).compose();
}

KernelPlan resident(const KernelPlan& plan, const DeviceCaps& device, std::int64_t groups) {
  Composer composer(plan, groups, device.kind == DeviceKind::cpu);
  throw_if_any(plan.steps.at(plan.main).kernel.name + " as one launch", composer.compose());
  return std::move(composer).plan();
}

}  // namespace vkmoye::gen
