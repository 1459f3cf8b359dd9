// SPDX-License-Identifier: MIT
#error a public header includes <fmt/format.h>, which a user of vkmoye need not have
