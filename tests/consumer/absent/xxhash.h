// SPDX-License-Identifier: MIT
#error a public header includes <xxhash.h>, which a user of vkmoye need not have
