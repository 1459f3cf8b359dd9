// generated: transpose/auto  type=f32  tile=128x32  threads=128  vector=16x16  order=dst  exchange=shuffle
//   subgroup-size=32
// lanes exchange what they load for what they store, wide accesses on both sides; ragged tiles by elements
// vkmoye 0.1.0: vkmoye-bench emit transpose/auto --type f32 --exchange shuffle --subgroup-size 32
//   --threads 128 --tile 128x32 --vector 16x16
#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require

layout(local_size_x = 128) in;

layout(std430, binding = 0) readonly buffer Src { float src[]; };  // (cols,rows)
layout(std430, binding = 0) readonly buffer Src_words_x4 { uvec4 src_words_x4[]; };  // (cols,rows)
layout(std430, binding = 1) writeonly buffer Dst { float dst[]; };  // (rows,cols)
layout(std430, binding = 1) writeonly buffer Dst_words_x4 { uvec4 dst_words_x4[]; };  // (rows,cols)
layout(push_constant) uniform Arguments { uint cols, rows, first_group_x, first_group_y; };

void main() {
  uint held[32];  // 32:1
  uint block_x = gl_WorkGroupID.x + first_group_x;
  uint block_y = gl_WorkGroupID.y + first_group_y;
  uint subgroup = gl_SubgroupID;
  uint lane = gl_SubgroupInvocationID;
  uint thread = 32u * subgroup + lane;

  if (32u * block_y + 31u < cols && 128u * block_x + 127u < rows && (cols & 3u) == 0u && (rows & 3u) == 0u) {
    // a whole tile, rows aligned

    // copy src to held: 16 bytes of a row
    {
      uint src_col = 32u * block_y + 4u * (lane & 7u);
      uint src_row = 128u * block_x + 32u * subgroup + 8u * (lane >> 3u);
      [[unroll]] for (uint group = 0u; group < 8u; ++group) {
        uvec4 row0 = src_words_x4[(src_col >> 2u) + ((cols * (src_row + group)) >> 2u)];
        held[4u * group] = row0.x;
        held[4u * group + 1u] = row0.y;
        held[4u * group + 2u] = row0.z;
        held[4u * group + 3u] = row0.w;
      }
    }

    // held: lane ^ 1 with value ^ 16
    {
      bool is_high = (lane & 1u) != 0u;
      [[unroll]] for (uint pair = 0u; pair < 16u; ++pair) {
        uint low = held[4u * (pair & 3u) + (pair >> 2u)];
        uint high = held[4u * (pair & 3u) + (pair >> 2u) + 16u];
        uint sent = is_high ? low : high;
        uint got = subgroupShuffleXor(sent, 1u);
        held[4u * (pair & 3u) + (pair >> 2u)] = is_high ? got : low;
        held[4u * (pair & 3u) + (pair >> 2u) + 16u] = is_high ? high : got;
      }
    }

    // copy held to dst: 16 bytes of a column
    {
      uint dst_row = 128u * block_x + 32u * subgroup + 4u * (lane & 1u) + 8u * (lane >> 3u);
      uint dst_col = 32u * block_y + 8u * ((lane >> 1u) & 3u);
      [[unroll]] for (uint column = 0u; column < 8u; ++column) {
        uint word0 = held[(column & 3u) + 16u * (column >> 2u)];
        uint word1 = held[(column & 3u) + 16u * (column >> 2u) + 4u];
        uint word2 = held[(column & 3u) + 16u * (column >> 2u) + 8u];
        uint word3 = held[(column & 3u) + 16u * (column >> 2u) + 12u];
        dst_words_x4[(dst_row >> 2u) + ((rows * (dst_col + column)) >> 2u)] =
            uvec4(word0, word1, word2, word3);
      }
    }
  } else if (32u * block_y < cols && 128u * block_x < rows) {
    if (rows <= 16u) {
      // at most 16 rows, element by element
      uint src_col = 32u * block_y + (thread & 31u);
      uint src_row0 = 128u * block_x + (thread >> 5u);
      if (src_col < cols) {
        for (uint v1 = 0u; v1 < 4u; ++v1) {
          uint src_row = src_row0 + 4u * v1;
          if (src_row < rows) {
            dst[src_row + rows * src_col] = src[src_col + cols * src_row];
          }
        }
      }
    } else if (cols <= 4u) {
      // at most 4 columns, element by element
      uint src_col0 = 32u * block_y;
      uint src_row = 128u * block_x + thread;
      if (src_row < rows) {
        for (uint v1 = 0u; v1 < 4u; ++v1) {
          uint src_col = src_col0 + v1;
          if (src_col < cols) {
            dst[src_row + rows * src_col] = src[src_col + cols * src_row];
          }
        }
      }
    } else {
      // a ragged tile, element by element
      uint src_col = 32u * block_y + (thread & 31u);
      uint src_row0 = 128u * block_x + (thread >> 5u);
      if (src_col < cols) {
        for (uint v1 = 0u; v1 < 32u; ++v1) {
          uint src_row = src_row0 + 4u * v1;
          if (src_row < rows) {
            dst[src_row + rows * src_col] = src[src_col + cols * src_row];
          }
        }
      }
    }
  }
}
