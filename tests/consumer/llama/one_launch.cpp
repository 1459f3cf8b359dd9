// SPDX-License-Identifier: MIT
#include "one_launch.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <utility>

namespace llama {
namespace {

using namespace vkmoye;
using gen::KernelPlan;

bool is_same(const Part& a, const Part& b) {
  return a.array == b.array && a.offset == b.offset && a.bytes == b.bytes;
}

// The arrays of some steps, each once, and for each step the number of each of its arrays.
struct Arrays {
  std::vector<Part> parts;
  std::vector<std::vector<std::size_t>> of_step;
};

Arrays arrays_of(std::span<const Step> steps) {
  Arrays out;
  for (const Step& step : steps) {
    std::vector<std::size_t>& numbers = out.of_step.emplace_back();
    for (const Part& part : step.arrays) {
      const auto known = std::find_if(out.parts.begin(), out.parts.end(),
                                      [&](const Part& one) { return is_same(one, part); });
      numbers.push_back(static_cast<std::size_t>(std::distance(out.parts.begin(), known)));
      if (known == out.parts.end()) out.parts.push_back(part);
    }
  }
  return out;
}

KernelPlan together(std::span<const Step> steps, const Arrays& arrays, const Plans& plans,
                    std::int64_t groups) {
  KernelPlan all;
  for (const Part& part : arrays.parts) all.arrays.push_back({part.array, part.bytes});
  for (std::size_t i = 0; i < steps.size(); ++i)
    gen::append(all, plans.all()[steps[i].plan], arrays.of_step[i]);
  KernelPlan out = gen::resident(all, plans.caps(), groups);
  out.steps.front().kernel.name = "llama/layer";
  return out;
}

// What a layer's steps have in common with those of another, which then are the same kernel.
std::string key_of(std::span<const Step> steps, const Arrays& arrays) {
  std::string key = "layer:";
  for (std::size_t i = 0; i < steps.size(); ++i) {
    key += " " + std::to_string(steps[i].plan) + "(";
    for (const std::size_t number : arrays.of_step[i]) key += std::to_string(number) + ",";
    key += ")";
  }
  return key;
}

}  // namespace

std::vector<Step> with_layers_as_one(const std::vector<Step>& steps, Plans& plans,
                                     std::int64_t groups) {
  std::vector<Step> out;
  for (auto first = steps.begin(); first != steps.end();) {
    const auto end = std::find_if(first, steps.end(),
                                  [&](const Step& step) { return step.layer != first->layer; });
    if (!first->layer) {
      out.insert(out.end(), first, end);
    } else {
      const std::span<const Step> layer(first, end);
      Arrays arrays = arrays_of(layer);
      const std::size_t plan = plans.number(key_of(layer, arrays),
                                            [&] { return together(layer, arrays, plans, groups); });
      out.push_back({"layer", first->layer, plan, std::move(arrays.parts)});
    }
    first = end;
  }
  return out;
}

}  // namespace llama
