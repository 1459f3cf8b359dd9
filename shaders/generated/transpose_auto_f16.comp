// generated: transpose/auto  type=f16  tile=64x64  threads=256  vector=16x16  parts=2  order=dst
// blocks turned in registers, wide accesses on both sides; ragged tiles in sectors of dst
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

void main() {
  uint block_x = gl_WorkGroupID.x + first_group_x;
  uint block_y = gl_WorkGroupID.y + first_group_y;
  uint thread = gl_LocalInvocationIndex;
  if (64u * block_y + 63u < cols && 64u * block_x + 63u < rows && (cols & 7u) == 0u && (rows & 15u) == 0u) {
    uint across = thread & 7u;
    uint group = thread >> 3u;
    uvec4 row0 = src_words_x4[8u * block_y + across + ((cols * (64u * block_x + 2u * group)) >> 3u)];
    uvec4 row1 = src_words_x4[8u * block_y + across + ((cols * (64u * block_x + 2u * group + 1u)) >> 3u)];
    uint to = 268u * across + group;
    tile[to] = (row0.x & uint(65535)) | ((row1.x & uint(65535)) << uint(16));
    tile[to + 33u] = ((row0.x >> uint(16)) & uint(65535)) | (row1.x & uint(4294901760));
    tile[to + 66u] = (row0.y & uint(65535)) | ((row1.y & uint(65535)) << uint(16));
    tile[to + 66u + 33u] = ((row0.y >> uint(16)) & uint(65535)) | (row1.y & uint(4294901760));
    tile[to + 132u] = (row0.z & uint(65535)) | ((row1.z & uint(65535)) << uint(16));
    tile[to + 132u + 33u] = ((row0.z >> uint(16)) & uint(65535)) | (row1.z & uint(4294901760));
    tile[to + 198u] = (row0.w & uint(65535)) | ((row1.w & uint(65535)) << uint(16));
    tile[to + 198u + 33u] = ((row0.w >> uint(16)) & uint(65535)) | (row1.w & uint(4294901760));

    barrier();
    for (uint turn = 0u; turn < 2u; ++turn) {
      uint along = thread & 7u;
      uint x = (thread >> 3u) + 32u * turn;
      uint from = 33u * (x & 7u) + 268u * (x >> 3u) + 4u * along;
      uint word0 = tile[from];
      uint word1 = tile[from + 1u];
      uint word2 = tile[from + 2u];
      uint word3 = tile[from + 3u];
      dst_words_x4[8u * block_x + along + ((rows * (64u * block_y + x)) >> 3u)] = uvec4(word0, word1, word2,
          word3);
    }
  } else if (64u * block_y + 63u < cols && 8u < rows && (cols & 7u) == 0u && (rows & 15u) == 0u) {
    uint across = thread & 7u;
    uint group = thread >> 3u;
    if (64u * block_x + 2u * group < rows) {
      uvec4 row0 = src_words_x4[8u * block_y + across + ((cols * (64u * block_x + 2u * group)) >> 3u)];
      uvec4 row1 = src_words_x4[8u * block_y + across + ((cols * (64u * block_x + 2u * group + 1u)) >> 3u)];
      uint to = 268u * across + group;
      tile[to] = (row0.x & uint(65535)) | ((row1.x & uint(65535)) << uint(16));
      tile[to + 33u] = ((row0.x >> uint(16)) & uint(65535)) | (row1.x & uint(4294901760));
      tile[to + 66u] = (row0.y & uint(65535)) | ((row1.y & uint(65535)) << uint(16));
      tile[to + 66u + 33u] = ((row0.y >> uint(16)) & uint(65535)) | (row1.y & uint(4294901760));
      tile[to + 132u] = (row0.z & uint(65535)) | ((row1.z & uint(65535)) << uint(16));
      tile[to + 132u + 33u] = ((row0.z >> uint(16)) & uint(65535)) | (row1.z & uint(4294901760));
      tile[to + 198u] = (row0.w & uint(65535)) | ((row1.w & uint(65535)) << uint(16));
      tile[to + 198u + 33u] = ((row0.w >> uint(16)) & uint(65535)) | (row1.w & uint(4294901760));
    }

    barrier();
    for (uint turn = 0u; turn < 2u; ++turn) {
      uint along = thread & 7u;
      uint x = (thread >> 3u) + 32u * turn;
      if (64u * block_x + 8u * along < rows) {
        uint from = 33u * (x & 7u) + 268u * (x >> 3u) + 4u * along;
        uint word0 = tile[from];
        uint word1 = tile[from + 1u];
        uint word2 = tile[from + 2u];
        uint word3 = tile[from + 3u];
        dst_words_x4[8u * block_x + along + ((rows * (64u * block_y + x)) >> 3u)] = uvec4(word0, word1, word2,
            word3);
      }
    }
  } else if (64u * block_y < cols && 64u * block_x < rows) {
    if (32u < rows) {
      if (8u < cols) {
        if (0u < (cols * rows) >> 1u) {
          for (uint part = 0u; part < 2u; ++part) {
            for (uint turn = 0u; turn < 3u; ++turn) {
              uint across = thread & 15u;
              uint group = (thread >> 4u) + 16u * turn;
              if (group < 40u) {
                uint place0 = (64u * block_x + 2u * group) * cols + 32u * (2u * block_y + part) + 2u * across;
                uint low0 = src_words[min(place0 >> 1u, ((cols * rows) >> 1u) - 1u)];
                uint place1 = (64u * block_x + 2u * group + 1u) * cols + 32u * (2u * block_y + part)
                    + 2u * across;
                uint low1 = src_words[min(place1 >> 1u, ((cols * rows) >> 1u) - 1u)];
                uint high1 = src_words[min((place1 >> 1u) + 1u, ((cols * rows) >> 1u) - 1u)];
                uint row1 = (low1 >> uint(16u * (place1 & 1u)))
                    | ((high1 << uint(1)) << (uint(31) - uint(16u * (place1 & 1u))));
                tile[82u * across + group] = (low0 & uint(65535)) | ((row1 & uint(65535)) << uint(16));
                tile[82u * across + group + 41u] = ((low0 >> uint(16)) & uint(65535))
                    | (row1 & uint(4294901760));
              }
            }

            barrier();
            for (uint turn = 0u; turn < 4u; ++turn) {
              uint y = thread & 31u;
              uint x = (thread >> 5u) + 8u * turn;
              uint col = 32u * (2u * block_y + part) + x;
              uint head = (0u - col * rows) & 15u;
              uint row = 64u * block_x + head + 2u * y;
              uint word = ((col * rows + 64u * block_x + head) >> 1u) + y;
              if (col < cols && row + 2u < rows && word < (rows * cols) >> 1u) {
                uint low = tile[41u * (x & 1u) + 82u * (x >> 1u) + (head >> 1u) + y];
                uint high = tile[41u * (x & 1u) + 82u * (x >> 1u) + (head >> 1u) + y + 1u];
                dst_words[word] = (low >> uint(16u * (head & 1u)))
                    | ((high << uint(1)) << (uint(31) - uint(16u * (head & 1u))));
              }
            }
            if (64u * block_x == 0u) {
              for (uint turn = 0u; turn < 2u; ++turn) {
                uint x = thread & 31u;
                uint y = (thread >> 5u) + 8u * turn;
                uint col = 32u * (2u * block_y + part) + x;
                if (y < ((0u - col * rows) & 15u) && col < cols && y < rows) {
                  float16_t single = src[col + cols * y];
                  dst[y + rows * col] = single;
                }
              }
            }
            if (rows < 64u * block_x + 65u) {
              uint x = thread & 31u;
              uint y = thread >> 5u;
              if (y < 2u) {
                uint col = 32u * (2u * block_y + part) + x;
                uint row = rows - 1u - y;
                if (rows - (row - ((row - ((0u - col * rows) & 15u)) & 1u)) < 3u && col < cols
                    && row < rows) {
                  float16_t single = src[col + cols * row];
                  dst[row + rows * col] = single;
                }
              }
            }

            barrier();
          }
        }
      } else {

        // parallelize(tile(transpose(tile(src, (64,64))), (64,8)), (64,4):(1,64))
        // -> parallelize(tile(tile(dst, (64,64)), (64,8)), (64,4):(1,64))
        {
          uint src_col0 = 64u * block_y + (thread >> 6u);
          uint src_row = 64u * block_x + (thread & 63u);
          uint dst_row = 64u * block_x + (thread & 63u);
          uint dst_col0 = 64u * block_y + (thread >> 6u);
          if (src_row < rows && dst_row < rows) {
            for (uint v1 = 0u; v1 < 2u; ++v1) {
              uint src_col = src_col0 + 4u * v1;
              uint dst_col = dst_col0 + 4u * v1;
              if (src_col < cols && dst_col < cols) {
                float16_t value = src[src_col + cols * src_row];
                dst[dst_row + rows * dst_col] = value;
              }
            }
          }
        }
      }
    } else {

      // parallelize(tile(tile(src, (64,64)), (64,32)), (64,4):(1,64))
      // -> parallelize(tile(transpose(tile(dst, (64,64))), (64,32)), (64,4):(1,64))
      {
        uint src_col = 64u * block_y + (thread & 63u);
        uint src_row0 = 64u * block_x + (thread >> 6u);
        uint dst_row0 = 64u * block_x + (thread >> 6u);
        uint dst_col = 64u * block_y + (thread & 63u);
        if (src_col < cols && dst_col < cols) {
          for (uint v1 = 0u; v1 < 8u; ++v1) {
            uint src_row = src_row0 + 4u * v1;
            uint dst_row = dst_row0 + 4u * v1;
            if (src_row < rows && dst_row < rows) {
              float16_t value = src[src_col + cols * src_row];
              dst[dst_row + rows * dst_col] = value;
            }
          }
        }
      }
    }
  }
}
