// SPDX-License-Identifier: MIT
// SwiGLU: y = gate / (1 + exp(-gate)) * up, for bf16 arrays of any length.

#include "model.hpp"

namespace models {
namespace {

ir::Kernel swiglu() {
  const ScalarType bf16 = ScalarType::bf16, f32 = ScalarType::f32;
  Builder k("swiglu", 128);
  const Tensor gate = k.input("gate", bf16, {{"i", "n"}});
  const Tensor up = k.input("up", bf16, {{"i", "n"}});
  const Tensor y = k.output("y", bf16, {{"i", "n"}});
  const auto mine = [&](const Tensor& of) {  // (4) of a thread
    return parallelize(tile(of, {512}, {k.block_x()}), make_layout({128}), k.thread());
  };
  k.apply(
      mine(y),
      [&](Expr a, Expr b) {
        const Expr g = convert(a, f32);
        return g / (1 + exp(-g)) * convert(b, f32);
      },
      mine(gate), mine(up));
  return k.finish();
}

const Model kSwiglu("swiglu", [](const Machine& machine) {
  const std::size_t n = 1300;
  const Data gate = random_data(ScalarType::bf16, n, 8), up = random_data(ScalarType::bf16, n);
  std::vector<Expected> y(n);
  for (std::size_t i = 0; i < n; ++i) {
    y[i].value = gate[i] / (1 + std::exp(-gate[i])) * up[i];
    y[i].tolerance = std::fabs(y[i].value) * (0x1p-8 + 0x1p-18);  // a rounding to bf16; exp
  }
  machine.check(swiglu(), {gate, up, unwritten(ScalarType::bf16, n)}, {{"n", n}}, y);
});

}  // namespace
}  // namespace models
