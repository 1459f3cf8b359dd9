// SPDX-License-Identifier: MIT
#include "io/sees_its_user.hpp"
