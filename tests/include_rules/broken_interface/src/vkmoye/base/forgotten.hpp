// SPDX-License-Identifier: MIT
#include <vector>
