// SPDX-License-Identifier: MIT
#include "vkmoye/c/status.hpp"

#include <exception>
#include <new>
#include <string>

#include "vkmoye/base/error.hpp"

namespace vkmoye::c {
namespace {

thread_local std::string last_text;
thread_local const char* last_error = "";  // `last_text`, or a literal if there is no memory for it

void keep_text(const char* text) noexcept {
  try {
    last_text = text;
    last_error = last_text.c_str();
  } catch (...) {
    last_error = "out of host memory";
  }
}

vkmoye_status status_of(DeviceError::Kind kind) {
  switch (kind) {
    case DeviceError::Kind::kNoDevice: return VKMOYE_NO_DEVICE;
    case DeviceError::Kind::kOutOfMemory: return VKMOYE_OUT_OF_MEMORY;
    case DeviceError::Kind::kLost: return VKMOYE_LOST;
    case DeviceError::Kind::kOther: break;
  }
  return VKMOYE_DEVICE_FAILED;
}

}  // namespace

vkmoye_status status_of_exception() noexcept {
  try {
    throw;
  } catch (const KernelError& error) {
    keep_text(error.what());
    return VKMOYE_CANNOT_RUN;
  } catch (const DeviceError& error) {
    keep_text(error.what());
    return status_of(error.kind);
  } catch (const CompileError& error) {
    keep_text((error.what() + ("\n" + error.numbered_source)).c_str());
  } catch (const Error& error) {
    keep_text(error.what());
    return VKMOYE_BAD_ARGUMENT;
  } catch (const std::bad_alloc&) {
    last_error = "out of host memory";
    return VKMOYE_OUT_OF_MEMORY;
  } catch (const std::exception& error) {
    keep_text(error.what());
  } catch (...) {
    last_error = "an unknown exception";
  }
  return VKMOYE_INTERNAL;
}

const char* text_of_last_error() noexcept { return last_error; }

}  // namespace vkmoye::c
