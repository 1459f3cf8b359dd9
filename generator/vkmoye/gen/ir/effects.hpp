// SPDX-License-Identifier: MIT
#pragma once
// What a statement does, said once: the machine, verifier, races, reports, baking and requirements all ask here.
//
//   Load{"value", {"src", {col, row}, ..}}     uses col, row; reads src there; defines value, data
//   If{less(col, cols), {..}, {..}}            uses col < cols; two bodies, steered by it
//   Barrier{}                                  on behalf of the workgroup; all must reach it
//
// A new statement that is forgotten here does not compile, nor in the machine, in the printer or in
// identical.cpp. Else only passes that are about one kind of statement tell them apart: bake, access_pattern.

#include <functional>
#include <string>
#include <vector>

#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen::ir {

/// On whose behalf a statement acts.
enum class Agent : std::uint8_t { invocation, subgroup, workgroup };

/// An element, or a vector of neighbours, that a statement touches.
struct Touch {
  const Element* element;
  bool reads = false, writes = false;
  bool atomic = false;       // without another invocation between
  std::uint32_t lanes = 0;   // only the first so many of each subgroup do it; 0: all
  bool by_any_lane = false;  // which of these touches which element is the device's affair
};

/// A name that holds after the statement, in the rest of its body; a loop variable: inside its body.
struct Definition {
  std::string name;
  Expr value;            // of the type, bound and alignment that uses may rely on
  bool is_data = false;  // found in memory or by other lanes: it may differ between invocations
};

/// Statements inside a statement.
struct Inner {
  const Body* body = nullptr;
  const Expr* steered_by = nullptr;      // whether, or how often, an invocation gets there
  bool where_it_holds = false;           // steered by a truth value, which holds inside
  std::vector<Definition> defines = {};  // inside only
  bool repeats = false;
};

struct Effects {
  std::vector<const Expr*> uses;   // coordinates included
  std::vector<const Expr*> alike;  // of these, what all of the agent's invocations must find equal
  std::vector<Touch> touches;
  std::vector<Definition> defines;
  std::vector<Inner> inner;  // one way or the other if there are two
  Agent agent = Agent::invocation;
  bool all_must_come = false;  // all of the agent's invocations, or none
  const char* act = "";        // then: what they come to, "a barrier"
  bool orders_shared = false;  // shared memory is as if all before it had happened before all after
  bool unrolls = false;        // it says whether the compiler may repeat its body
  FeatureSet needs;            // of the device, beside what the types of arrays ask
  std::vector<MatrixShape> multiplies;  // what matrix units must be able to
  std::vector<std::string> reasons;     // why it is wrong by itself: types that do not fit
};

/// The result points into `statement`, a statement of `kernel`.
Effects effects_of(const Stmt& statement, const Kernel& kernel);

/// `statement` with each expression replaced by what `expression` makes of it, and each body inside
/// by what `body` does.
Stmt rewritten(const Stmt& statement, const std::function<Expr(const Expr&)>& expression,
               const std::function<Body(const Body&)>& body);

/// The bodies inside a statement, none for most.
std::vector<const Body*> bodies_of(const Stmt& statement);

/// Calls `visit` for each statement of `body`, those inside others after them.
void for_each(const Body& body, const std::function<void(const Stmt&)>& visit);

/// Calls `visit` for each node of `e`, each once, however often it is shared.
void for_each_node(const Expr& e, const std::function<void(const Node&)>& visit);
/// Calls `visit` for each node of the expressions that statements of `kernel` use, each once.
void for_each_node(const Kernel& kernel, const std::function<void(const Node&)>& visit);

}  // namespace vkmoye::gen::ir
