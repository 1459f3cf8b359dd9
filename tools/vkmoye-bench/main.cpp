// SPDX-License-Identifier: MIT
// vkmoye-bench: the benchmark with the kernels of vkmoye.

#include "vkmoye/bench/bench.hpp"

int main(int argc, char** argv) {
  return vkmoye::bench::main(argc, argv, vkmoye::bench::our_registry());
}
