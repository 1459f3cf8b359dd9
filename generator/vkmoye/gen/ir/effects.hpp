// SPDX-License-Identifier: MIT
#pragma once
// What a statement does: what it uses, reads, writes and defines. The machine, the verifier, reports, baking and
// requirements all use it.
//
//   Load{"value", {"src", {col, row}, ..}}     uses col, row; reads src there; defines value, data
//   If{less(col, cols), {..}, {..}}            uses col < cols; two bodies, chosen by it
//   Barrier{}                                  performed by the workgroup: all invocations must reach it
//
// A new kind of statement does not compile until it is handled in statement_parts.hpp, in members.hpp, in the machine
// and in the printer.

#include <string>
#include <vector>

#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen::ir {

/// The invocations that perform a statement together.
enum class ExecutionScope : std::uint8_t { invocation, subgroup, workgroup };

/// An access of a statement to an element, or to a vector of neighbours.
struct StatementAccess {
  const Element* element;
  bool reads = false, writes = false;
  bool atomic = false;
  // The number of lanes of each subgroup that take part, from lane 0 on; 0: all.
  std::uint32_t lanes = 0;
  bool by_any_lane = false;  // the device decides which of these lanes accesses which element
};

/// A name that a statement defines: for the rest of the statement's body, or, for a loop variable, inside the loop.
struct Definition {
  std::string name;
  Expr value;  // has the type, bound and alignment of the name
  // Read from memory or from other lanes, so that it may differ between invocations.
  bool is_data = false;
};

/// A body inside a statement.
struct NestedBody {
  const Body* body = nullptr;
  // The condition of an If, the end of a For; nullptr: it always runs.
  const Expr* condition = nullptr;
  // Whether the body of an If runs where its condition holds, or where it fails.
  bool holds = false;
  std::vector<Definition> defines = {};  // names that exist only in the body
  bool repeats = false;                  // whether it is the body of a For
};

struct Effects {
  std::vector<const Expr*> uses;  // the expressions that it evaluates, coordinates among them
  // The expressions that must have one value in all invocations of the scope.
  std::vector<const Expr*> must_be_uniform;
  std::vector<StatementAccess> accesses;
  std::vector<Definition> defines;
  std::vector<NestedBody> nested;  // its bodies; if there are two, each invocation runs one of them
  ExecutionScope scope = ExecutionScope::invocation;
  bool all_must_arrive = false;  // all invocations of the scope must reach it, or none of them
  const char* operation = "";    // if all must arrive, its name in messages: "a barrier"
  bool orders_shared = false;    // accesses to shared memory before it happen before those after it
  std::vector<const Expr*> assumes;  // conditions that the author asserts, for the rest of the body
  bool unrolls = false;              // it is a loop that must, or must not, be unrolled
  FeatureSet needs;  // features of the device, besides those for the types of arrays
  std::vector<MatrixShape> multiplies;  // shapes that the matrix units must support
  std::vector<std::string> reasons;     // why the statement alone is wrong: types that do not fit
};

/// The effects of `statement`, a statement of `kernel`. The result points into `statement`.
Effects effects_of(const Stmt& statement, const Kernel& kernel);

}  // namespace vkmoye::gen::ir
