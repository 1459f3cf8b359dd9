// SPDX-License-Identifier: MIT
#pragma once
// Codes and text in place of exceptions, which must not leave the C interface.

#include "vkmoye/vkmoye.h"

namespace vkmoye::c {

/// The status of the exception that is being handled; its text becomes vkmoye_last_error. Precondition: there is one.
vkmoye_status status_of_exception() noexcept;

/// vkmoye_last_error of this thread.
const char* text_of_last_error() noexcept;

/// Runs `body`, and returns the status of what it throws.
template <class Body>
vkmoye_status guarded(Body body) noexcept {
  try {
    body();
    return VKMOYE_OK;
  } catch (...) {
    return status_of_exception();
  }
}

}  // namespace vkmoye::c
