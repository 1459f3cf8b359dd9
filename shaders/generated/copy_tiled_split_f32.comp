// generated: copy/tiled_split  type=f32  tile=32x128  threads=(32,8):(1,32)  values=((2,2),1):((1,2),4)
//   vector=2
// not coalesced: in each access, neighbouring threads move every second vector
// vkmoye 0.1.0: vkmoye-bench emit copy/tiled_split --type f32
#version 460

layout(local_size_x = 256) in;

layout(std430, binding = 0) readonly buffer Src { float src[]; };  // (cols,rows)
layout(std430, binding = 0) readonly buffer Src_x2 { vec2 src_x2[]; };  // (cols,rows)
layout(std430, binding = 1) writeonly buffer Dst { float dst[]; };  // (cols,rows)
layout(std430, binding = 1) writeonly buffer Dst_x2 { vec2 dst_x2[]; };  // (cols,rows)
layout(push_constant) uniform Arguments { uint cols, rows, first_group_x, first_group_y; };

void main() {
  uint block_x = gl_WorkGroupID.x + first_group_x;
  uint block_y = gl_WorkGroupID.y + first_group_y;
  uint thread = gl_LocalInvocationIndex;

  // copy partition(tile(src, (128,32)), (128,8)) at (128 block_x, 32 block_y)
  //   to partition(tile(dst, (128,32)), (128,8)) at (128 block_x, 32 block_y)
  if ((cols & 1u) == 0u) {
    // 2 elements at a time
    uint src_col0 = 128u * block_x + 4u * (thread & 31u);
    uint src_row0 = 32u * block_y + (thread >> 5u);
    for (uint v2 = 0u; v2 < 4u; ++v2) {
      for (uint v0 = 0u; v0 < 2u; ++v0) {
        uint src_col = src_col0 + 2u * v0;
        uint src_row = src_row0 + 8u * v2;
        if (src_col < cols && src_row < rows) {
          vec2 value = src_x2[(src_col >> 1u) + ((cols * src_row) >> 1u)];
          dst_x2[(src_col >> 1u) + ((cols * src_row) >> 1u)] = value;
        }
      }
    }
  } else {
    // one element at a time
    uint src_col0 = 128u * block_x + 4u * (thread & 31u);
    uint src_row0 = 32u * block_y + (thread >> 5u);
    for (uint v2 = 0u; v2 < 4u; ++v2) {
      for (uint v0 = 0u; v0 < 4u; ++v0) {
        uint src_col = src_col0 + v0;
        uint src_row = src_row0 + 8u * v2;
        if (src_col < cols && src_row < rows) {
          dst[src_col + cols * src_row] = src[src_col + cols * src_row];
        }
      }
    }
  }
}
