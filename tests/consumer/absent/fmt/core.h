// SPDX-License-Identifier: MIT
#error a public header includes <fmt/core.h>, which a user of vkmoye need not have
