// SPDX-License-Identifier: MIT
#pragma once
// The comments of the branches of an If.
//
//   If{whole, {Titled{"a whole tile:\ncopy a", ..}}, {Titled{"a tile at an edge:\ncopy a", ..}}}
//
//   // copy a                           title_of_both: printed once
//   if (whole) {
//     // a whole tile
//   ..

#include <string>

#include "vkmoye/gen/ir/stmt.hpp"

namespace vkmoye::gen::glsl {

/// The block that is all of `statements`; nullptr if there is none, or if it is a function.
const ir::Titled* only_block(const ir::Body& statements);

/// The title that both branches share, without the case in its first line. Empty if their titles differ.
std::string title_of_both(const ir::If& branches);

}  // namespace vkmoye::gen::glsl
