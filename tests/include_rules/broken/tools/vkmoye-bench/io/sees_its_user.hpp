// SPDX-License-Identifier: MIT
#include "report/report.hpp"
