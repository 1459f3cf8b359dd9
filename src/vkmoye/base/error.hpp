// SPDX-License-Identifier: MIT
#pragma once
// The errors that vkmoye throws, grouped by cause. A message names the operation, its operands, the rule
// that was broken and the numbers; a reader should not need a debugger.

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace vkmoye {

/// Base of everything vkmoye throws.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A layout operation that has no right answer: `complement of (4,4):(1,2): strides overlap`.
struct LayoutError : Error {
  using Error::Error;
};

/// A kernel cannot be described, or cannot run on this device. Contains all reasons, not only the first.
struct KernelError : Error {
  /// `what()` is `subject` and all reasons.
  KernelError(std::string_view subject, std::vector<std::string> reasons);
  std::vector<std::string> reasons;
};
/// Throws KernelError with `reasons`, if there are any.
void throw_if_any(std::string_view subject, std::vector<std::string> reasons);

/// The shader compiler rejected generated text: a bug in vkmoye.
struct CompileError : Error {
  /// `what()` is `subject` and the log of the compiler.
  CompileError(std::string_view subject, std::string log, std::string numbered_source);
  std::string log;
  std::string numbered_source;
};

/// An invalid argument: a size of 0, an unknown name, an array that is too short.
struct ArgumentError : Error {
  using Error::Error;
};

/// The device, its driver or the Vulkan loader failed. `what()` names the call and the VkResult.
struct DeviceError : Error {
  /// The cause: no loader, driver or usable device; no memory; a lost device; any other.
  enum class Kind { kNoDevice, kOutOfMemory, kLost, kOther };
  /// An error of this kind with this message.
  DeviceError(Kind kind, const std::string& what) : Error(what), kind(kind) {}
  Kind kind;
};

}  // namespace vkmoye
