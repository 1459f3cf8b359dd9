// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <string>

#include "vkmoye/base/hidden.hpp"
