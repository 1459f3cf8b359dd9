// SPDX-License-Identifier: MIT
#include "judge/spirv/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "judge/spirv/subgroup.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/contract/compact_strides.hpp"
#include "vkmoye/contract/scalar_value.hpp"

namespace vkmoye::judge::spirv {
namespace {

using Bytes = std::vector<std::vector<std::byte>>;
using Groups = std::array<std::uint64_t, 3>;

std::vector<std::byte> push_constants(const KernelInterface& interface,
                                      const Arguments& arguments) {
  std::vector<std::byte> out(push_constant_bytes(interface));
  const std::vector<std::uint32_t> offsets = push_constant_offsets(interface);
  for (std::size_t i = 0; i < interface.push_constants.size(); ++i) {
    const PushConstant& constant = interface.push_constants[i];
    std::uint64_t bits = 0;
    if (const auto found = arguments.find(constant.name); found != arguments.end()) {
      const auto* whole = std::get_if<std::int64_t>(&found->second.value);
      bits = whole != nullptr && !is_floating(constant.type)
                 ? static_cast<std::uint64_t>(*whole)
                 : bits_of(constant.type, std::visit([](auto n) { return static_cast<double>(n); },
                                                     found->second.value));
    } else if (constant.type == ScalarType::u64) {
      for (std::size_t b = 0; b < interface.bindings.size(); ++b) {
        if (address_name(interface.bindings[b].name) == constant.name) bits = address_of_binding(b);
      }
    } else if (!is_first_group(constant.name)) {
      throw ArgumentError(
          fmt::format("{}: argument '{}' is missing", interface.name, constant.name));
    }
    std::memcpy(out.data() + offsets[i], &bits, size_of(constant.type));
  }
  return out;
}

std::vector<std::uint32_t> specialised_values(const KernelInterface& interface,
                                              const Arguments& arguments) {
  std::vector<std::uint32_t> out;
  for (const SpecialisedArgument& one : interface.specialised) {
    const auto found = arguments.find(one.name);
    if (found == arguments.end()) {
      throw ArgumentError(fmt::format("{}: argument '{}' is missing", interface.name, one.name));
    }
    out.push_back(static_cast<std::uint32_t>(std::get<std::int64_t>(found->second.value)));
  }
  return out;
}

std::vector<Buffer> buffers_of(const KernelInterface& interface, const Program& program,
                               Bytes& bytes, const Arguments& arguments) {
  if (bytes.size() != interface.bindings.size()) {
    throw ArgumentError(fmt::format("{} has {} bindings, {} buffers are given", interface.name,
                                    interface.bindings.size(), bytes.size()));
  }
  std::vector<Buffer> out;
  for (std::uint32_t i = 0; i < bytes.size(); ++i) {
    const Binding& binding = interface.bindings[i];
    const std::uint64_t size = element_count(binding, arguments) * size_of(binding.type);
    if (bytes[i].size() != size) {
      throw ArgumentError(fmt::format("{}: {} takes {} bytes, {} are given", interface.name,
                                      binding.name, size, bytes[i].size()));
    }
    Buffer buffer{binding.name, bytes[i], binding.access != Access::write,
                  binding.access != Access::read,
                  std::min<std::uint32_t>(8, static_cast<std::uint32_t>(size_of(binding.type)))};
    if (const auto use = program.buffers.find(i); use != program.buffers.end()) {
      buffer.is_written = use->second.is_written;
      buffer.granule = use->second.granule;
    }
    out.push_back(buffer);
  }
  return out;
}

// Each element of a result must be written, except the padding between rows.
void check_results(const KernelInterface& interface, const Arguments& given,
                   const BufferMemory& memory, Faults& faults) {
  const Arguments arguments = with_compact_strides(interface, given);
  const auto number_of = [&](const Extent& extent) {
    const auto argument = [&](const std::string& name) {
      return static_cast<std::uint64_t>(std::get<std::int64_t>(arguments.at(name).value));
    };
    if (!extent.is_symbol()) return static_cast<std::uint64_t>(extent.value);
    return argument(extent.symbol) * (extent.times.empty() ? 1 : argument(extent.times));
  };
  for (std::size_t number = 0; number < interface.bindings.size(); ++number) {
    const Binding& binding = interface.bindings[number];
    if (binding.access != Access::write) continue;
    std::vector<std::uint64_t> extents, strides, at;
    std::uint64_t compact = 1, count = 1;
    for (std::size_t i = 0; i < binding.extents.size(); ++i) {
      extents.push_back(number_of(binding.extents[i]));
      strides.push_back(binding.strides.empty() ? compact : number_of(binding.strides[i]));
      compact *= extents.back();
      count *= extents.back();
    }
    at.resize(extents.size());
    for (std::uint64_t i = 0; i < count; ++i) {
      std::uint64_t place = 0, rest = i;
      for (std::size_t mode = 0; mode < extents.size(); ++mode) {
        at[mode] = rest % extents[mode];
        rest /= extents[mode];
        place += at[mode] * strides[mode];
      }
      const std::size_t bytes = size_of(binding.type);
      if (memory.is_defined(number, place * bytes, bytes)) continue;
      faults.add(Faults::Kind::uncovered, binding.name,
                 fmt::format("nothing writes {}({}), a result", binding.name, fmt::join(at, ",")));
      break;
    }
  }
}

// The barriers that glslang generates wait for the workgroup and order shared memory. Those beside a barrier of all
// workgroups order buffers as well, for the whole device. Returns whether there are such.
bool check_barriers(const Program& program) {
  const std::uint64_t kOrder =
      spv::MemorySemanticsAcquireReleaseMask | spv::MemorySemanticsWorkgroupMemoryMask;
  const std::uint64_t kVisible =
      spv::MemorySemanticsMakeAvailableMask | spv::MemorySemanticsMakeVisibleMask;
  const std::uint64_t kOfDevice = kOrder | kVisible | spv::MemorySemanticsUniformMemoryMask;
  bool is_of_device = false;
  for (const Operation& operation : program.operations) {
    if (operation.opcode != spv::OpControlBarrier) continue;
    const auto value = [&](std::size_t i) { return program.initial[operation.operands[i]].bits; };
    const bool of_workgroup = value(1) == spv::ScopeWorkgroup && (value(2) & ~kVisible) == kOrder;
    const bool of_device = value(1) == spv::ScopeDevice && value(2) == kOfDevice;
    if (value(0) != spv::ScopeWorkgroup || (!of_workgroup && !of_device)) {
      throw Unsupported(fmt::format("a barrier with scopes {} and {} and semantics {:#x}", value(0),
                                    value(1), value(2)));
    }
    is_of_device = is_of_device || of_device;
  }
  return is_of_device;
}

class Workgroup {
 public:
  Workgroup(World& world, std::uint32_t threads, std::uint32_t lanes)
      : world_(world), lanes_(lanes), invocations_(threads) {}

  enum class End : std::uint8_t { finished, lost, at_load };

  /// Workgroup `at` of `groups`, of which nothing has run.
  void begin(const Groups& groups, const Groups& at) {
    world_.shared.clear();
    const std::uint32_t* size = world_.program.module.local_size;
    const std::uint64_t number = at[0] + groups[0] * (at[1] + groups[1] * at[2]);
    for (std::uint32_t i = 0; i < invocations_.size(); ++i) {
      Invocation& self = invocations_[i];
      self.values = world_.program.initial;
      self.next = world_.program.functions[world_.program.entry].first;
      self.state = Invocation::State::runs;
      self.rounds.clear();
      self.calls.clear();
      const auto group = static_cast<std::uint32_t>(number);
      self.who = {group * static_cast<std::uint32_t>(invocations_.size()) + i, i, group, 0};
      const std::uint64_t local[3] = {i % size[0], i / size[0] % size[1], i / (size[0] * size[1])};
      for (const auto& [builtin, slot] : world_.program.builtins) {
        const auto set = [&, slot = slot](auto... values) {
          std::size_t part = slot;
          ((self.values[part++] = {static_cast<std::uint64_t>(values), true}), ...);
        };
        switch (builtin) {
          case spv::BuiltInWorkgroupId: set(at[0], at[1], at[2]); break;
          case spv::BuiltInNumWorkgroups: set(groups[0], groups[1], groups[2]); break;
          case spv::BuiltInLocalInvocationId: set(local[0], local[1], local[2]); break;
          case spv::BuiltInGlobalInvocationId:
            set(at[0] * size[0] + local[0], at[1] * size[1] + local[1], at[2] * size[2] + local[2]);
            break;
          case spv::BuiltInLocalInvocationIndex: set(i); break;
          case spv::BuiltInSubgroupId: set(i / lanes_); break;
          case spv::BuiltInSubgroupLocalInvocationId: set(i % lanes_); break;
          case spv::BuiltInSubgroupSize: set(lanes_); break;
          case spv::BuiltInNumSubgroups: set((invocations_.size() + lanes_ - 1) / lanes_); break;
          default: throw Unsupported(fmt::format("built-in {}", static_cast<int>(builtin)));
        }
      }
    }
  }
  /// Runs until it ends, or until nothing but atomic loads is next.
  End run() {
    for (Invocation& invocation : invocations_) {
      if (invocation.state == Invocation::State::at_load)
        invocation.state = Invocation::State::runs;
    }
    while (true) {
      for (Invocation& invocation : invocations_) {
        if (invocation.state == Invocation::State::runs) spirv::run(world_, invocation);
        if (invocation.state == Invocation::State::lost) return End::lost;
      }
      bool goes_on = false;
      for (std::size_t first = 0; first < invocations_.size(); first += lanes_) {
        const std::span<Invocation> lanes(
            &invocations_[first], std::min<std::size_t>(lanes_, invocations_.size() - first));
        if (count(lanes, Invocation::State::at_subgroup) == 0) continue;
        if (count(lanes, Invocation::State::at_load) > 0) continue;
        if (!are_together(lanes, Faults::Kind::subgroup, "a subgroup operation")) return End::lost;
        execute_together(world_, lanes);
        goes_on = true;
      }
      if (goes_on) continue;
      if (count(invocations_, Invocation::State::at_load) > 0) return End::at_load;
      if (count(invocations_, Invocation::State::finished) == invocations_.size())
        return End::finished;
      if (!are_together(invocations_, Faults::Kind::barrier, "a barrier")) return End::lost;
      ++barriers_;
      world_.shared.order();
      for (Invocation& invocation : invocations_) {
        ++invocation.next;
        invocation.state = Invocation::State::runs;
      }
    }
  }

  /// The barriers that it has passed.
  std::uint64_t barriers() const { return barriers_; }

 private:
  static std::size_t count(std::span<const Invocation> among, Invocation::State state) {
    return static_cast<std::size_t>(std::count_if(
        among.begin(), among.end(), [&](const Invocation& i) { return i.state == state; }));
  }

  bool are_together(std::span<const Invocation> those, Faults::Kind kind, const char* what) {
    for (const Invocation& invocation : those) {
      if (invocation.is_with(those[0])) continue;
      const bool first_waits = those[0].state != Invocation::State::finished;
      const Invocation& waiting = first_waits ? those[0] : invocation;
      const Invocation& other = first_waits ? invocation : those[0];
      world_.faults.add(kind, "",
                        fmt::format("{} waits at {} that {} does not reach in that round",
                                    to_string(waiting.who), what, to_string(other.who)));
      return false;
    }
    return true;
  }

  World& world_;
  std::uint32_t lanes_;
  std::vector<Invocation> invocations_;
  std::uint64_t barriers_ = 0;
};

// The launch of a kernel, a workgroup after the other.
class Launched {
 public:
  Launched(const Program& program, const CompiledKernel& kernel,
           const std::vector<std::byte>& constants, BufferMemory& buffers, Faults& faults,
           const LaunchOptions& options, const Groups& groups)
      : program_(program),
        constants_(constants),
        buffers_(buffers),
        faults_(faults),
        options_(options),
        groups_(groups),
        threads_(program.module.local_size[0] * program.module.local_size[1] *
                 program.module.local_size[2]),
        lanes_(kernel.interface.subgroup_size != 0 ? kernel.interface.subgroup_size
                                                   : options.subgroup_size) {}

  void run_in_turn(Report& out) {
    Member one(*this);
    for (std::uint64_t i = 0; i < count() && out.finished; ++i) {
      one.workgroup.begin(groups_, place(i));
      Workgroup::End end = Workgroup::End::at_load;
      while (end == Workgroup::End::at_load) end = one.workgroup.run();
      out.finished = end == Workgroup::End::finished;
      out.invocations += threads_;
      if (options_.to_first_fault && !faults_.list().empty()) out.finished = false;
    }
    add(one.world, out);
  }

  // Workgroups that wait for each other: in each round, each of them runs up to an atomic load. If all of them are at
  // one, with a barrier behind them since the last time, all have arrived.
  void run_together(Report& out) {
    std::vector<std::unique_ptr<Member>> members;
    for (std::uint64_t i = 0; i < count(); ++i) {
      members.push_back(std::make_unique<Member>(*this));
      members.back()->workgroup.begin(groups_, place(i));
    }
    std::size_t waiting = members.size();
    while (out.finished && waiting > 0) {
      std::size_t moved = 0;
      waiting = 0;
      for (const auto& member : members) {
        if (member->has_finished) continue;
        const std::uint64_t before = member->workgroup.barriers();
        const Workgroup::End end = member->workgroup.run();
        member->has_finished = end == Workgroup::End::finished;
        if (end == Workgroup::End::lost) out.finished = false;
        if (end == Workgroup::End::at_load) ++waiting;
        if (end != Workgroup::End::at_load || member->workgroup.barriers() > before) ++moved;
      }
      if (waiting == members.size() && moved == members.size()) buffers_.order();
      if (moved > 0 || !out.finished) continue;
      faults_.add(Faults::Kind::barrier, "grid",
                  fmt::format("{} of {} workgroups wait for others that do not come", waiting,
                              members.size()));
      out.finished = false;
    }
    for (const auto& member : members) add(member->world, out);
    out.invocations = count() * threads_;
  }

 private:
  struct Member {
    explicit Member(const Launched& of)
        : shared(of.program_, of.faults_),
          world{of.program_, of.constants_,        shared, of.buffers_, of.faults_,
                0,           of.options_.max_steps},
          workgroup(world, of.threads_, of.lanes_) {}
    Shared shared;
    World world;
    Workgroup workgroup;
    bool has_finished = false;
  };

  std::uint64_t count() const { return groups_[0] * groups_[1] * groups_[2]; }
  Groups place(std::uint64_t i) const {
    return {i % groups_[0], i / groups_[0] % groups_[1], i / (groups_[0] * groups_[1])};
  }
  static void add(const World& world, Report& out) {
    out.steps += world.steps;
    out.accesses += world.accesses;
  }

  const Program& program_;
  const std::vector<std::byte>& constants_;
  BufferMemory& buffers_;
  Faults& faults_;
  const LaunchOptions& options_;
  Groups groups_;
  std::uint32_t threads_, lanes_;
};

Report run(const CompiledKernel& kernel, Bytes& bytes, const Arguments& arguments,
           const LaunchOptions& options) {
  const Program program =
      program_from(decode(kernel.spirv, specialised_values(kernel.interface, arguments)));
  const bool waits_for_others = check_barriers(program);
  Faults faults;
  BufferMemory buffers(buffers_of(kernel.interface, program, bytes, arguments), faults);
  const std::vector<std::byte> constants = push_constants(kernel.interface, arguments);
  const Groups groups = group_count(kernel.interface, arguments);
  Report out;
  out.finished = true;
  Launched launched(program, kernel, constants, buffers, faults, options, groups);
  waits_for_others ? launched.run_together(out) : launched.run_in_turn(out);
  if (out.finished) check_results(kernel.interface, arguments, buffers, faults);
  out.faults = faults.list();
  return out;
}

}  // namespace

Report launch(const CompiledKernel& kernel, Bytes& buffers, const Arguments& arguments,
              const LaunchOptions& options) try {
  return run(kernel, buffers, arguments, options);
} catch (const Unsupported& reason) {
  Report out;
  out.unsupported = reason.what();
  return out;
}

}  // namespace vkmoye::judge::spirv
