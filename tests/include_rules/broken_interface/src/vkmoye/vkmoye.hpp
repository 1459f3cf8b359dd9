// SPDX-License-Identifier: MIT
#include "vkmoye/base/text.hpp"
