#pragma once
// What one row of `run` is about: a kernel and what it is applied to.

#include <cstdint>
#include <vector>

#include "parse.hpp"
#include "vkmoye/gen/kernels/registry.hpp"

namespace vkmoye::bench {

struct Problem {
  const gen::KernelEntry* entry;
  gen::Request request;
  Extents size;  // of a move: rows and columns of src
};

/// `extents` as a size for kernels of `operation`: a single number n stands for n in every place.
/// Throws ArgumentError for another number of extents.
Extents size_of_problem(gen::Operation operation, const Extents& extents);

}  // namespace vkmoye::bench
