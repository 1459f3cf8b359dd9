// SPDX-License-Identifier: MIT
// Checks that the machine accesses, waits for and orders what each statement requires, for every kernel of the
// registry and random ones, against a separate list in this file.

#include "vkmoye/gen/machine/machine.hpp"

#include <set>
#include <tuple>

#include "judge/random_kernel.hpp"
#include "support/effort.hpp"
#include "support/expect.hpp"
#include "support/fragment_orders.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::gen::machine {
namespace {

// An element, and whether it is read or written, by an atomic operation, by any lane.
using Seen = std::tuple<const ir::Element*, bool, bool, bool, bool>;

// Follows both branches of a condition, and two rounds of a loop.
class Witness : public Environment {
 public:
  std::set<Seen> touched;
  std::size_t barriers = 0;
  std::vector<std::string> missed;

  bool follows(const ir::Array&) const override { return true; }
  void accessed(Machine&, const MemoryAccess& access) override {
    touched.emplace(&access.element, access.reads, access.writes, access.atomic,
                    access.by_any_lane);
  }
  void barrier(Machine&, const ThreadSet&) override { ++barriers; }
  void diverged(Machine&, const char* what, const ThreadSet&) override {
    missed.emplace_back(what);
  }
  bool can_rely_on(Machine&, const ir::Expr&, const ThreadSet&) override { return false; }
  bool forks() const override { return false; }
  Rounds enter(Machine&, const ir::For& loop, std::optional<std::uint32_t>) override {
    return {ir::is_constant(loop.end, 0) ? 0u : 1u, true};
  }
};

struct Expected {
  std::set<Seen> touched;
  std::size_t barriers = 0;
};

void add(Expected& out, const std::vector<ir::Element>& elements, bool writes, bool by_any_lane) {
  for (const ir::Element& element : elements) {
    out.touched.emplace(&element, !writes, writes, false, by_any_lane);
  }
}

void add(Expected& out, const ir::Body& body) {
  for (const ir::Stmt& statement : body) {
    if (const auto* load = std::get_if<ir::Load>(&statement.value)) {
      out.touched.emplace(&load->from, true, false, false, false);
    } else if (const auto* store = std::get_if<ir::Store>(&statement.value)) {
      out.touched.emplace(&store->to, false, true, false, false);
    } else if (const auto* atomic = std::get_if<ir::Atomic>(&statement.value)) {
      out.touched.emplace(&atomic->to, true, true, true, false);
    } else if (std::holds_alternative<ir::Barrier>(statement.value)) {
      ++out.barriers;
    } else if (const auto* from = std::get_if<ir::MatrixLoad>(&statement.value)) {
      add(out, from->from.vectors, false, true);
      add(out, from->to.elements, true, false);
    } else if (const auto* to = std::get_if<ir::MatrixStore>(&statement.value)) {
      add(out, to->from.elements, false, false);
      add(out, to->to.vectors, true, true);
    } else if (const auto* fill = std::get_if<ir::MatrixFill>(&statement.value)) {
      add(out, fill->to.elements, true, false);
    } else if (const auto* product = std::get_if<ir::MatrixMultiply>(&statement.value)) {
      for (const auto* operand : {&product->a, &product->b, &product->c}) {
        add(out, operand->elements, false, false);
      }
      add(out, product->to.elements, true, false);
    } else if (const auto* branch = std::get_if<ir::If>(&statement.value)) {
      add(out, branch->body);
      add(out, branch->otherwise);
    } else if (const auto* loop = std::get_if<ir::For>(&statement.value)) {
      if (!ir::is_constant(loop->end, 0)) add(out, loop->body);
    } else if (const auto* block = std::get_if<ir::Titled>(&statement.value)) {
      add(out, block->body);
    }
  }
}

void expect_as_it_says(const ir::Kernel& kernel) {
  Expected expected;
  add(expected, kernel.body);
  Witness witness;
  Budget budget(1u << 28);
  const std::size_t lanes = kernel.subgroup_size == 0 ? 32 : kernel.subgroup_size;
  Machine machine(kernel, {kernel.threads, lanes, {0, 0, 0}}, witness, budget);
  for (const PushConstant& argument : kernel.arguments) {
    if (argument.type == ScalarType::u32) machine.values().define(argument.name, Values());
  }
  ASSERT_NO_THROW(machine.run()) << kernel.name;
  EXPECT_EQ(witness.touched, expected.touched) << kernel.name;
  EXPECT_EQ(witness.barriers, expected.barriers) << kernel.name;
  EXPECT_FALSE(expected.touched.empty()) << kernel.name;
}

TEST(Machine, TouchesWhatEveryKernelOfTheRegistrySays) {
  std::size_t row = 0;
  for (const KernelEntry& entry : registry()) {
    ++row;
    for (std::size_t number = 0; number < entry.types.size(); ++number) {
      if (!vkmoye::test::takes(row, number, entry.types.size())) continue;
      expect_as_it_says(vkmoye::test::described(entry, request_of(entry.types[number])));
    }
  }
}

TEST(Machine, TouchesWhatRandomKernelsSay) {
  const auto count = static_cast<std::uint64_t>(vkmoye::test::often(100));
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    expect_as_it_says(judge::random_kernel(seed).kernel);
  }
}

// --- which threads must reach a statement ---

ir::Kernel with(ir::Body body) {
  ir::Kernel kernel;
  kernel.threads = 64;
  kernel.subgroup_size = 32;
  kernel.body = std::move(body);
  return kernel;
}

template <class Observer = Witness>
Observer run(const ir::Kernel& kernel) {
  Observer witness;
  Budget budget(1u << 20);
  Machine(kernel, {kernel.threads, kernel.subgroup_size, {0, 0, 0}}, witness, budget).run();
  return witness;
}

// An environment for kernels whose conditions are known.
struct Knowing : Witness {
  bool can_rely_on(Machine&, const ir::Expr&, const ThreadSet&) override { return true; }
};

TEST(Machine, SaysWhereSomeComeAndOthersDoNot) {
  const ir::Expr thread = ir::builtin(ir::Builtin::thread);
  const auto missed = [&](std::uint32_t below, ir::Stmt statement) {
    return run<Knowing>(with({ir::If{ir::less(thread, below), {std::move(statement)}}})).missed;
  };
  const ir::Subgroup sum{.name = "s", .value = thread};
  EXPECT_THAT(missed(32, ir::Barrier{}), ElementsAre("a barrier"));
  EXPECT_THAT(missed(64, ir::Barrier{}), IsEmpty());
  EXPECT_THAT(missed(16, sum), ElementsAre("a subgroup operation"));
  EXPECT_THAT(missed(48, sum), ElementsAre("a subgroup operation"));
  EXPECT_THAT(missed(32, sum), IsEmpty());
}

// It accesses nothing, but orders the accesses of others.
TEST(Machine, FollowsABodyThatOnlyOrders) {
  const ir::Kernel kernel = with(
      {ir::If{ir::less(0, ir::builtin(ir::Builtin::group_x)), {ir::Titled{"", {ir::Barrier{}}}}}});
  EXPECT_EQ(run(kernel).barriers, 1u);
}

}  // namespace
}  // namespace vkmoye::gen::machine
