// SPDX-License-Identifier: MIT
#pragma once
// The layout algebra in one include.

#include "vkmoye/layout/coalesce.hpp"
#include "vkmoye/layout/common_vector.hpp"
#include "vkmoye/layout/complement.hpp"
#include "vkmoye/layout/composition.hpp"
#include "vkmoye/layout/divide.hpp"
#include "vkmoye/layout/injective.hpp"
#include "vkmoye/layout/inverse.hpp"
#include "vkmoye/layout/layout.hpp"
#include "vkmoye/layout/layout_of_values.hpp"
#include "vkmoye/layout/modes.hpp"
#include "vkmoye/layout/ordered.hpp"
#include "vkmoye/layout/product.hpp"
#include "vkmoye/layout/recast.hpp"
#include "vkmoye/layout/shape_relations.hpp"
#include "vkmoye/layout/slice.hpp"
#include "vkmoye/layout/swizzle.hpp"
#include "vkmoye/layout/text.hpp"
#include "vkmoye/layout/tiler.hpp"
