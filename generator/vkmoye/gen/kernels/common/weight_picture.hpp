// SPDX-License-Identifier: MIT
#pragma once
// The fields of a weight format, as text and as a picture of a block:
//
//   q4_0: 32 weights in 18 bytes
//            7    6    5    4    3    2    1    0
//    0..1                                   scale        bytes 0 and 1: the 16 bits of the scale
//   2..17              c16..31             c0..15        byte 2: codes of weights 0 and 16, byte 3: 1 and 17, ..
//
//       c  code - 8, bits 0..3: 16 + (16,2):(8,4)
//   scale                 f16, bits 0..15: 0 + 1:0

#include <string>
#include <vector>

#include "vkmoye/gen/kernels/common/weight_format.hpp"
#include "vkmoye/layout/draw.hpp"

namespace vkmoye::gen {

/// A field under the name that it has in a picture: c for codes, s and m for scales and minima of parts of a block,
/// with a prime for each field of the same number that comes before it.
struct NamedField {
  std::string name, text;  // c'; "code - 16, bit 4: 16 + 32:1"
  const BitField* field;
  std::int64_t run;  // the number of consecutive weights that have the same bits
};

/// The fields of `format`, which must outlive them: of codes, then of the numbers of parts, then of the block.
std::vector<NamedField> fields_of(const WeightFormat& format);

/// The bits of a block, a byte in a row with its highest bit first, and below them the fields. The number behind a name
/// counts codes, or parts of the block. Bytes that continue those above them are one row. Precondition: reasons_against
/// is empty.
Table block_table(const WeightFormat& format);

}  // namespace vkmoye::gen
