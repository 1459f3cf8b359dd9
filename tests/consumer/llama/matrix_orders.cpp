// SPDX-License-Identifier: MIT
#include "matrix_orders.hpp"

#include <cstddef>
#include <vkmoye/vkmoye.hpp>

namespace llama {

using namespace vkmoye;

std::vector<FragmentOrder> matrix_orders(const DeviceCaps& caps) {
  std::vector<FragmentOrder> out;
  if (!caps.has(Feature::cooperative_matrix)) return out;
  Device device = Device::open(caps.name);  // only for the probes
  if (device.caps().name != caps.name) return out;
  for (const gen::MatrixOperand& operand : gen::matrix_operands(caps)) {
    if (!operand.probed) continue;
    const gen::ir::Kernel probe = gen::fragment_probe(*operand.probed);
    if (!reasons_against(gen::ir::interface_of(probe), device.caps()).empty()) continue;
    std::vector<std::byte> bytes = gen::probe_input(*operand.probed);
    Buffer source = device.buffer(bytes.size()), held = device.buffer(bytes.size());
    source.write(bytes);
    device.run(device.load(gen::compile(probe, device.caps())), {source, held}, {});
    held.read(bytes);
    out.push_back(gen::probed_order(*operand.probed, bytes));
  }
  return out;
}

}  // namespace llama
