// SPDX-License-Identifier: MIT
#include "vkmoye/runtime/launch.hpp"

#include <utility>

#include "vkmoye/runtime/vk/launch_state.hpp"

namespace vkmoye {

Launch::Launch(std::shared_ptr<const vk::LaunchState> state) : state_(std::move(state)) {}

Pending::Pending(std::shared_ptr<vk::Context> context, std::unique_ptr<vk::Lease> lease)
    : context_(std::move(context)), lease_(std::move(lease)) {}
Pending::Pending(Pending&&) noexcept = default;
Pending::~Pending() = default;

bool Pending::is_done() const { return context_->commands->is_done(**lease_); }

void Pending::wait() { context_->commands->wait(**lease_); }

std::uint64_t Pending::value() const { return (*lease_)->value; }

}  // namespace vkmoye
