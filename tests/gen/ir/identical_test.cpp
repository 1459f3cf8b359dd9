// SPDX-License-Identifier: MIT
#include "vkmoye/gen/ir/identical.hpp"

#include <algorithm>
#include <functional>
#include <set>

#include "support/expect.hpp"
#include "vkmoye/gen/ir/fingerprint.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"
#include "vkmoye/gen/verify/verify.hpp"

namespace vkmoye::gen {
namespace {

using ir::Kernel;

ir::Kernel padded() { return find_kernel("transpose/padded")->describe({ScalarType::f32}); }

// The first statement of this kind, however deep.
template <class S>
S* first(ir::Body& body) {
  for (ir::Stmt& statement : body) {
    if (auto* found = std::get_if<S>(&statement.value)) return found;
    ir::Body* inner = nullptr;
    if (auto* block = std::get_if<ir::Titled>(&statement.value)) inner = &block->body;
    if (auto* loop = std::get_if<ir::For>(&statement.value)) inner = &loop->body;
    if (auto* branch = std::get_if<ir::If>(&statement.value)) inner = &branch->body;
    S* found = inner == nullptr ? nullptr : first<S>(*inner);
    if (found != nullptr) return found;
  }
  return nullptr;
}

TEST(Identical, ACopyIsUntilAnythingInItIsChanged) {
  const Kernel kernel = padded();
  EXPECT_TRUE(identical(kernel, Kernel(kernel)));
  std::set<ir::Fingerprint> fingerprints = {fingerprint(kernel)};
  const std::pair<const char*, std::function<void(Kernel&)>> changes[] = {
      {"name", [](Kernel& k) { k.name += "'"; }},
      {"config", [](Kernel& k) { k.config.front().second += "'"; }},
      {"threads", [](Kernel& k) { k.threads /= 2; }},
      {"grid", [](Kernel& k) { k.grid[1].max_groups = 7; }},
      {"an argument's type", [](Kernel& k) { k.arguments.front().type = ScalarType::i32; }},
      {"access", [](Kernel& k) { k.arrays.front().access = Access::read_write; }},
      {"extent", [](Kernel& k) { k.arrays.front().axes.front().extent = "rows"; }},
      {"stride", [](Kernel& k) { k.arrays.front().axes.back().stride = 5; }},
      {"statement", [](Kernel& k) { k.body.pop_back(); }},
      {"exactness", [](Kernel& k) { first<ir::Let>(k.body)->exact = true; }},
      {"coordinate", [](Kernel& k) { first<ir::Load>(k.body)->from.coordinates[0] = 0; }},
      {"width", [](Kernel& k) { first<ir::Load>(k.body)->from.width = 2; }},
      {"bound",
       [](Kernel& k) {
         ir::Expr& at = first<ir::Load>(k.body)->from.coordinates[0];
         at = ir::bounded(at, 3);
       }},
      {"arguments in a buffer",
       [](Kernel& k) {
         k.arguments_in_buffer = ir::ArgumentsInBuffer{"src", {"cols"}};
       }},
      {"specialised", [](Kernel& k) { k.specialised = {"cols"}; }},
      {"unroll", [](Kernel& k) { first<ir::For>(k.body)->unroll = ir::Unroll::never; }},
  };
  for (const auto& [what, change] : changes) {
    Kernel changed = kernel;
    change(changed);
    EXPECT_FALSE(identical(kernel, changed)) << what;
    EXPECT_TRUE(fingerprints.insert(fingerprint(changed)).second) << what;
  }
  EXPECT_TRUE(identical(kernel, padded())) << "other nodes that say the same";
  EXPECT_EQ(fingerprint(kernel), fingerprint(padded()));
}

// verify takes what finish() has proven for proven, until somebody changes it.
TEST(Identical, WhatIsChangedAfterwardsIsVerifiedAgain) {
  Kernel kernel = padded();
  ASSERT_NE(kernel.verified, nullptr);
  EXPECT_THAT(verify(kernel), IsEmpty());
  const auto barrier = std::find_if(kernel.body.begin(), kernel.body.end(), [](const ir::Stmt& s) {
    return std::holds_alternative<ir::Barrier>(s.value);
  });
  ASSERT_NE(barrier, kernel.body.end());
  kernel.body.erase(barrier);
  EXPECT_THAT(verify(kernel), ElementsAre(HasSubstr("race in shared tile")));
}

}  // namespace
}  // namespace vkmoye::gen
