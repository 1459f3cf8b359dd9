// generated: transpose/auto  type=f16  tile=64x64  threads=256  vector=16x16  edge-parts=2  order=dst
// blocks transposed in registers, wide accesses on both sides; ragged tiles in sectors of dst
// vkmoye 0.1.0: vkmoye-bench emit transpose/auto --type f16
#version 460
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require

layout(local_size_x = 256) in;

layout(std430, binding = 0) readonly buffer Src { float16_t src[]; };  // (cols,rows)
layout(std430, binding = 0) readonly buffer Src_words { uint src_words[]; };  // (cols,rows)
layout(std430, binding = 0) readonly buffer Src_words_x4 { uvec4 src_words_x4[]; };  // (cols,rows)
layout(std430, binding = 1) writeonly buffer Dst { float16_t dst[]; };  // (rows,cols)
layout(std430, binding = 1) writeonly buffer Dst_words { uint dst_words[]; };  // (rows,cols)
layout(std430, binding = 1) writeonly buffer Dst_words_x4 { uvec4 dst_words_x4[]; };  // (rows,cols)
layout(push_constant) uniform Arguments { uint cols, rows, first_group_x, first_group_y; };

shared uint tile[2139];  // ((8,8),32):((33,268),1)

void transpose_block(uint block_y, uint across, uint block_x, uint group) {
  uvec4 row0 = src_words_x4[8u * block_y + across + ((cols * (64u * block_x + 2u * group)) >> 3u)];
  uvec4 row1 = src_words_x4[8u * block_y + across + ((cols * (64u * block_x + 2u * group + 1u)) >> 3u)];
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
  dst_words_x4[8u * block_x + along + ((rows * (64u * block_y + column)) >> 3u)] =
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
            dst[src_row + rows * src_col] = src[src_col + cols * src_row];
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
            dst[src_row + rows * src_col] = src[src_col + cols * src_row];
          }
        }
      }
    } else if (0u < ((cols * rows) >> 1u)) {
      // a ragged tile, stored in whole sectors of dst
      for (uint part = 0u; part < 2u; ++part) {
        // copy src to tile: of each column, the rows from the first sector of dst on
        for (uint pass = 0u; pass < 3u; ++pass) {
          uint across = thread & 15u;
          uint group = (thread >> 4u) + 16u * pass;
          if (group < 40u) {
            uint place0 = (64u * block_x + 2u * group) * cols + 32u * (2u * block_y + part) + 2u * across;
            uint low0 = src_words[min(place0 >> 1u, ((cols * rows) >> 1u) - 1u)];
            uint place1 =
                (64u * block_x + 2u * group + 1u) * cols + 32u * (2u * block_y + part) + 2u * across;
            uint low1 = src_words[min(place1 >> 1u, ((cols * rows) >> 1u) - 1u)];
            uint high1 = src_words[min((place1 >> 1u) + 1u, ((cols * rows) >> 1u) - 1u)];
            uint row1 = (low1 >> (16u * (place1 & 1u))) | ((high1 << 1u) << (31u - 16u * (place1 & 1u)));
            tile[82u * across + group] = (low0 & 0xffffu) | (row1 << 16u);
            tile[82u * across + group + 41u] = (low0 >> 16u) | (row1 & 0xffff0000u);
          }
        }

        barrier();

        // copy tile to dst: whole sectors of each column
        for (uint pass = 0u; pass < 4u; ++pass) {
          uint y = thread & 31u;
          uint x = (thread >> 5u) + 8u * pass;
          uint col = 32u * (2u * block_y + part) + x;
          uint head = (0u - col * rows) & 15u;
          uint row = 64u * block_x + head + 2u * y;
          uint word = ((col * rows + 64u * block_x + head) >> 1u) + y;
          if (col < cols && row + 2u < rows && word < ((rows * cols) >> 1u)) {
            uint low = tile[41u * (x & 1u) + 82u * (x >> 1u) + (head >> 1u) + y];
            uint high = tile[41u * (x & 1u) + 82u * (x >> 1u) + (head >> 1u) + y + 1u];
            dst_words[word] = (low >> (16u * (head & 1u))) | ((high << 1u) << (31u - 16u * (head & 1u)));
          }
        }

        if (block_x == 0u) {
          // the rows before the first sector of each column, element by element
          for (uint pass = 0u; pass < 2u; ++pass) {
            uint x = thread & 31u;
            uint y = (thread >> 5u) + 8u * pass;
            uint col = 32u * (2u * block_y + part) + x;
            uint head = (0u - col * rows) & 15u;
            if (y < head && col < cols && y < rows) {
              dst[y + rows * col] = src[col + cols * y];
            }
          }
        }

        if (rows < 64u * block_x + 65u) {
          // the rows after the last whole word of each column, element by element
          uint x = thread & 31u;
          uint y = thread >> 5u;
          if (y < 2u) {
            uint col = 32u * (2u * block_y + part) + x;
            uint row = rows - 1u - y;
            uint head = (0u - col * rows) & 15u;
            uint word_begins = row - ((row - head) & 1u);
            if (rows - word_begins < 3u && col < cols && row < rows) {
              dst[row + rows * col] = src[col + cols * row];
            }
          }
        }

        barrier();
      }
    }
  }
}
