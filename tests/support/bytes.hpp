// SPDX-License-Identifier: MIT
#pragma once
// Host values as the bytes that kernels take.

#include <cstddef>
#include <span>

namespace vkmoye::test {

/// Those of a contiguous container, to be read and written.
std::span<std::byte> bytes(auto& values) { return std::as_writable_bytes(std::span(values)); }

}  // namespace vkmoye::test
