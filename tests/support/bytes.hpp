// SPDX-License-Identifier: MIT
#pragma once
// Host values as bytes for kernels.

#include <cstddef>
#include <span>

namespace vkmoye::test {

/// The bytes of a contiguous container, readable and writable.
std::span<std::byte> bytes(auto& values) { return std::as_writable_bytes(std::span(values)); }

}  // namespace vkmoye::test
