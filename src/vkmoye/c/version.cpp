// SPDX-License-Identifier: MIT
// The functions of vkmoye.h that concern the library itself.

#include "vkmoye/c/status.hpp"

extern "C" {

uint32_t vkmoye_c_version(void) { return 65536u * VKMOYE_C_VERSION_MAJOR + VKMOYE_C_VERSION_MINOR; }

const char* vkmoye_last_error(void) { return vkmoye::c::text_of_last_error(); }

}  // extern "C"
