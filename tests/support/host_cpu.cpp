// SPDX-License-Identifier: MIT
// A library to be loaded before lavapipe's LLVM (LD_PRELOAD), on a CPU with AVX2 and without AVX-512.
// LLVM believes that the gathers of AMD's CPUs are slow, and turns each load of a kernel into a branch for every lane,
// in a time that grows with the square of the size of the kernel: a kernel of attention took 43 s, and takes 6 s if
// LLVM compiles it as for Skylake, whose gathers are fast. Mesa names the extensions of the CPU itself.

#include <cstddef>

namespace llvm {

struct StringRef {
  const char* data;
  std::size_t length;
};

namespace sys {

/// LLVM's function, whose result is the name that `-mcpu` takes.
StringRef getHostCPUName() { return {"skylake", 7}; }

}  // namespace sys
}  // namespace llvm
