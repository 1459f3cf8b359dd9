// SPDX-License-Identifier: MIT
#pragma once
// Reads and writes guarded buffers as values of a type.

#include <span>
#include <vector>

#include "vkmoye/runtime/guarded_buffer.hpp"

namespace vkmoye::test {

template <class T>
std::vector<T> read_as(const GuardedBuffer& buffer) {
  std::vector<T> values(buffer.bytes() / sizeof(T));
  buffer.read(std::as_writable_bytes(std::span(values)));
  return values;
}

template <class T>
void write_as(GuardedBuffer& buffer, const std::vector<T>& values) {
  buffer.write(std::as_bytes(std::span(values)));
}

}  // namespace vkmoye::test
