// SPDX-License-Identifier: MIT
#error a public header includes <shaderc/shaderc.hpp>, which a user of vkmoye need not have
