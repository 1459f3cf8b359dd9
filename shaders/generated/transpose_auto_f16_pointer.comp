// generated: transpose/auto  type=f16  tile=64x64  threads=256  vector=16x16  edge-parts=2  order=dst
//   address=pointer
// blocks transposed in registers, wide accesses on both sides; ragged tiles by elements
// vkmoye 0.1.0: vkmoye-bench emit transpose/auto --type f16 --address pointer
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require

layout(local_size_x = 256) in;

// (cols,rows), from src_address on
layout(buffer_reference, std430, buffer_reference_align = 2) readonly buffer Src { float16_t src; };
// (cols,rows), from src_address on
layout(buffer_reference, std430,
    buffer_reference_align = 16) readonly buffer Src_words_x4 { uvec4 src_words_x4; };
// (rows,cols), from dst_address on
layout(buffer_reference, std430, buffer_reference_align = 2) writeonly buffer Dst { float16_t dst; };
// (rows,cols), from dst_address on
layout(buffer_reference, std430,
    buffer_reference_align = 16) writeonly buffer Dst_words_x4 { uvec4 dst_words_x4; };
layout(push_constant) uniform Arguments { uint64_t src_address, dst_address;
    uint cols, rows, first_group_x, first_group_y; };

shared uint tile[2139];  // ((8,8),32):((33,268),1)

void transpose_block(uint block_y, uint across, uint block_x, uint group) {
  uvec4 row0 = Src_words_x4(
      src_address
      + 2ul * (uint64_t(64u * block_y + 8u * across)
        + uint64_t(cols) * uint64_t(64u * block_x + 2u * group))).src_words_x4;
  uvec4 row1 = Src_words_x4(
      src_address
      + 2ul * (uint64_t(64u * block_y + 8u * across)
        + uint64_t(cols) * uint64_t(64u * block_x + 2u * group + 1u))).src_words_x4;
  uint tile_to = 268u * across + group;
  tile[tile_to] = (row0.x & 0xffffu) | (row1.x << 16u);
  tile[tile_to + 33u] = (row0.x >> 16u) | (row1.x & 0xffff0000u);
  tile[tile_to + 66u] = (row0.y & 0xffffu) | (row1.y << 16u);
  tile[tile_to + 99u] = (row0.y >> 16u) | (row1.y & 0xffff0000u);
  tile[tile_to + 132u] = (row0.z & 0xffffu) | (row1.z << 16u);
  tile[tile_to + 165u] = (row0.z >> 16u) | (row1.z & 0xffff0000u);
  tile[tile_to + 198u] = (row0.w & 0xffffu) | (row1.w << 16u);
  tile[tile_to + 231u] = (row0.w >> 16u) | (row1.w & 0xffff0000u);
}

void store_column(uint column, uint along, uint block_x, uint block_y) {
  uint tile_from = 33u * (column & 7u) + 268u * (column >> 3u) + 4u * along;
  uint word0 = tile[tile_from];
  uint word1 = tile[tile_from + 1u];
  uint word2 = tile[tile_from + 2u];
  uint word3 = tile[tile_from + 3u];
  Dst_words_x4(
      dst_address
      + 2ul * (uint64_t(64u * block_x + 8u * along)
        + uint64_t(rows) * uint64_t(64u * block_y + column))).dst_words_x4 =
      uvec4(word0, word1, word2, word3);
}

void main() {
  uint block_x = gl_WorkGroupID.x + first_group_x;
  uint block_y = gl_WorkGroupID.y + first_group_y;
  uint thread = gl_LocalInvocationIndex;

  if (64u * block_y + 63u < cols && 64u * block_x + 63u < rows && (cols & 7u) == 0u && (rows & 15u) == 0u) {
    // a whole tile, rows aligned

    // copy src to tile: 16 bytes of each of 2 rows, transposed into words of columns
    {
      uint across = thread & 7u;
      uint group = thread >> 3u;
      transpose_block(block_y, across, block_x, group);
    }

    barrier();

    // copy tile to dst: 16 bytes of a column
    for (uint pass = 0u; pass < 2u; ++pass) {
      uint along = thread & 7u;
      uint column = (thread >> 3u) + 32u * pass;
      store_column(column, along, block_x, block_y);
    }
  } else if (64u * block_y + 63u < cols && 8u < rows && (cols & 7u) == 0u && (rows & 15u) == 0u) {
    // columns inside, rows aligned: only blocks of rows inside are moved

    // copy src to tile: 16 bytes of each of 2 rows, transposed into words of columns
    {
      uint across = thread & 7u;
      uint group = thread >> 3u;
      if (64u * block_x + 2u * group < rows) {
        transpose_block(block_y, across, block_x, group);
      }
    }

    barrier();

    // copy tile to dst: 16 bytes of a column
    for (uint pass = 0u; pass < 2u; ++pass) {
      uint along = thread & 7u;
      uint column = (thread >> 3u) + 32u * pass;
      if (64u * block_x + 8u * along < rows) {
        store_column(column, along, block_x, block_y);
      }
    }
  } else if (64u * block_y < cols && 64u * block_x < rows) {
    if (rows <= 32u) {
      // at most 32 rows, element by element
      uint src_col = 64u * block_y + (thread & 63u);
      uint src_row0 = 64u * block_x + (thread >> 6u);
      if (src_col < cols) {
        for (uint v1 = 0u; v1 < 8u; ++v1) {
          uint src_row = src_row0 + 4u * v1;
          if (src_row < rows) {
            float16_t value =
                Src(src_address + 2ul * (uint64_t(src_col) + uint64_t(cols) * uint64_t(src_row))).src;
            Dst(dst_address + 2ul * (uint64_t(src_row) + uint64_t(rows) * uint64_t(src_col))).dst = value;
          }
        }
      }
    } else if (cols <= 8u) {
      // at most 8 columns, element by element
      uint src_col0 = 64u * block_y + (thread >> 6u);
      uint src_row = 64u * block_x + (thread & 63u);
      if (src_row < rows) {
        for (uint v1 = 0u; v1 < 2u; ++v1) {
          uint src_col = src_col0 + 4u * v1;
          if (src_col < cols) {
            float16_t value =
                Src(src_address + 2ul * (uint64_t(src_col) + uint64_t(cols) * uint64_t(src_row))).src;
            Dst(dst_address + 2ul * (uint64_t(src_row) + uint64_t(rows) * uint64_t(src_col))).dst = value;
          }
        }
      }
    } else {
      // a ragged tile, element by element
      uint src_col = 64u * block_y + (thread & 63u);
      uint src_row0 = 64u * block_x + (thread >> 6u);
      if (src_col < cols) {
        for (uint v1 = 0u; v1 < 16u; ++v1) {
          uint src_row = src_row0 + 4u * v1;
          if (src_row < rows) {
            float16_t value =
                Src(src_address + 2ul * (uint64_t(src_col) + uint64_t(cols) * uint64_t(src_row))).src;
            Dst(dst_address + 2ul * (uint64_t(src_row) + uint64_t(rows) * uint64_t(src_col))).dst = value;
          }
        }
      }
    }
  }
}
