// generated: transpose/vec4_shared  type=f32  tile=32x128  threads=(32,32):(1,32)  vector=4
//   shared=(128,32):(1,128)
// vectors on both sides; reads of a tile column share few banks
// vkmoye 0.1.0: vkmoye-bench emit transpose/vec4_shared --type f32
#version 460

layout(local_size_x = 1024) in;

layout(std430, binding = 0) readonly buffer Src { float src[]; };  // (cols,rows)
layout(std430, binding = 0) readonly buffer Src_x4 { vec4 src_x4[]; };  // (cols,rows)
layout(std430, binding = 1) writeonly buffer Dst { float dst[]; };  // (rows,cols)
layout(std430, binding = 1) writeonly buffer Dst_x4 { vec4 dst_x4[]; };  // (rows,cols)
layout(push_constant) uniform Arguments { uint cols, rows, first_group_x, first_group_y; };

shared vec4 tile[1024];  // (128,32):(1,128), in f32

void main() {
  uint block_x = gl_WorkGroupID.x + first_group_x;
  uint block_y = gl_WorkGroupID.y + first_group_y;
  uint thread = gl_LocalInvocationIndex;

  // copy partition(tile(src, (128,32)), (128,32)) at (128 block_x, 32 block_y)
  //   to partition(tile, (128,32))
  if ((cols & 3u) == 0u) {
    // 4 elements at a time
    uint src_col = 128u * block_x + 4u * (thread & 31u);
    uint src_row = 32u * block_y + (thread >> 5u);
    if (src_col < cols && src_row < rows) {
      tile[thread] = src_x4[(src_col >> 2u) + ((cols * src_row) >> 2u)];
    }
  } else {
    // one element at a time
    uint src_col0 = 128u * block_x + 4u * (thread & 31u);
    uint src_row = 32u * block_y + (thread >> 5u);
    uint tile_at = 4u * thread;
    if (src_row < rows) {
      for (uint v0 = 0u; v0 < 4u; ++v0) {
        uint src_col = src_col0 + v0;
        if (src_col < cols) {
          tile[tile_at >> 2u][v0] = src[src_col + cols * src_row];
        }
      }
    }
  }

  barrier();

  // copy partition(transpose(tile), (32,128))
  //   to partition(tile(dst, (32,128)), (32,128)) at (32 block_y, 128 block_x)
  if ((rows & 3u) == 0u) {
    // 4 elements at a time
    uint tile_at = 512u * (thread & 7u) + (thread >> 3u);
    uint dst_row = 32u * block_y + 4u * (thread & 7u);
    uint dst_col = 128u * block_x + (thread >> 3u);
    if (dst_row < rows && dst_col < cols) {
      float value0 = tile[tile_at >> 2u][tile_at & 3u];
      float value1 = tile[32u + (tile_at >> 2u)][tile_at & 3u];
      float value2 = tile[64u + (tile_at >> 2u)][tile_at & 3u];
      float value3 = tile[96u + (tile_at >> 2u)][tile_at & 3u];
      dst_x4[(dst_row >> 2u) + ((rows * dst_col) >> 2u)] = vec4(value0, value1, value2, value3);
    }
  } else {
    // one element at a time
    uint tile_at = 512u * (thread & 7u) + (thread >> 3u);
    uint dst_row0 = 32u * block_y + 4u * (thread & 7u);
    uint dst_col = 128u * block_x + (thread >> 3u);
    if (dst_col < cols) {
      for (uint v0 = 0u; v0 < 4u; ++v0) {
        uint dst_row = dst_row0 + v0;
        if (dst_row < rows) {
          dst[dst_row + rows * dst_col] = tile[32u * v0 + (tile_at >> 2u)][tile_at & 3u];
        }
      }
    }
  }
}
