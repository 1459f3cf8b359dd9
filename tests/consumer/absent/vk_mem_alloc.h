// SPDX-License-Identifier: MIT
#error a public header includes <vk_mem_alloc.h>, which a user of vkmoye need not have
