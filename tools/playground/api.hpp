// SPDX-License-Identifier: MIT
#pragma once
// The requests of the page to the libraries. Each function takes the members of a request and returns those of its
// answer.
//
//   {"ask":"layout","expression":"composition((4,8):(8,1), 4:2)"}
//   {"text":"(2,2):(16,1)","pictures":[{"name":"layout","svg":"<svg .."}, ..]}
//
// An invalid request throws; api.cpp then returns {"error": message}.

#include <memory>

#include "vkmoye/contract/json.hpp"
#include "vkmoye/gen/ir/kernel_plan.hpp"
#include "vkmoye/gen/problems/problem.hpp"

namespace vkmoye::playground {

/// {expression, picture} -> {text, kind, pictures: [{name, svg, text}]}, where only that picture, or the first, has an
/// svg; {"operations": true} -> {operations: [text]}.
Json layout(const Json& request);

/// {} -> {kernels: [{name, operation, summary, source, types, size, options: [..]}]}.
Json kernels(const Json& request);

/// {kernel, type, size, options, prove} -> {glsl, description, report}; see kernel.cpp.
Json kernel(const Json& request);

/// {kernel, type, size, options, without} -> {arrays, reasons, ..}; see run.cpp.
Json run(const Json& request);

/// A kernel with its problem, as {kernel, type, size, options} state it. Throws ArgumentError or KernelError.
struct Described {
  std::shared_ptr<const gen::Problem> problem;
  gen::KernelPlan plan;
};
Described describe(const Json& request);

}  // namespace vkmoye::playground
