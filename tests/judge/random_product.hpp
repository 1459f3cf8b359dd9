// SPDX-License-Identifier: MIT
#pragma once
// Matrix products of small random tiles, in every way the config offers to stage them.

#include "judge/subject.hpp"

namespace vkmoye::judge {

/// Throws KernelError if the verifier refuses it: a false alarm.
Subject random_product(Draw& draw);

}  // namespace vkmoye::judge
