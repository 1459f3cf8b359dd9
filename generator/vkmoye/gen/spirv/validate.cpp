// SPDX-License-Identifier: MIT
#include "vkmoye/gen/spirv/validate.hpp"

#include <fmt/format.h>

#include <spirv-tools/libspirv.hpp>
#include <string_view>

namespace vkmoye::gen {

std::vector<std::string> reasons_against_module(const std::vector<std::uint32_t>& spirv) {
  std::vector<std::string> reasons;
  bool is_newer = false;
  spvtools::SpirvTools tools(SPV_ENV_VULKAN_1_2);
  tools.SetMessageConsumer(
      [&](spv_message_level_t level, const char*, const spv_position_t& at, const char* message) {
        if (level > SPV_MSG_ERROR) return;
        is_newer = is_newer || std::string_view(message).starts_with("Invalid capability operand");
        reasons.push_back(fmt::format("spirv-val: word {}: {}", at.index, message));
      });
  const bool is_valid = tools.Validate(spirv);
  if (is_valid || is_newer) return {};
  if (reasons.empty()) reasons.emplace_back("spirv-val refuses the module");
  return reasons;
}

}  // namespace vkmoye::gen
