// generated: transpose/vec4_padded  type=f64  tile=32x64  threads=(32,32):(1,32)  vector=2
//   shared=(64,32):(1,65)
// padded rows keep the banks apart and dst contiguous by element
// vkmoye 0.1.0: vkmoye-bench emit transpose/vec4_padded --type f64
#version 460

layout(local_size_x = 1024) in;

layout(std430, binding = 0) readonly buffer Src { double src[]; };  // (cols,rows)
layout(std430, binding = 0) readonly buffer Src_x2 { dvec2 src_x2[]; };  // (cols,rows)
layout(std430, binding = 1) writeonly restrict buffer Dst { double dst[]; };  // (rows,cols)
layout(push_constant) uniform Arguments { uint cols, rows, first_group_x, first_group_y; };

shared double tile[2079];  // (64,32):(1,65)

void main() {
  uint block_x = gl_WorkGroupID.x + first_group_x;
  uint block_y = gl_WorkGroupID.y + first_group_y;
  uint thread = gl_LocalInvocationIndex;

  // copy partition(tile(src, (64,32)), (64,32)) at (64 block_x, 32 block_y)
  //   to partition(tile, (64,32))
  if ((cols & 1u) == 0u) {
    // 2 elements at a time
    uint src_col = 64u * block_x + 2u * (thread & 31u);
    uint src_row = 32u * block_y + (thread >> 5u);
    uint tile_at = 2u * (thread & 31u) + 65u * (thread >> 5u);
    if (src_col < cols && src_row < rows) {
      dvec2 value = src_x2[(src_col >> 1u) + ((cols * src_row) >> 1u)];
      tile[tile_at] = value.x;
      tile[tile_at + 1u] = value.y;
    }
  } else {
    // one element at a time
    uint src_col0 = 64u * block_x + 2u * (thread & 31u);
    uint src_row = 32u * block_y + (thread >> 5u);
    uint tile_at = 2u * (thread & 31u) + 65u * (thread >> 5u);
    if (src_row < rows) {
      for (uint v0 = 0u; v0 < 2u; ++v0) {
        uint src_col = src_col0 + v0;
        if (src_col < cols) {
          tile[tile_at + v0] = src[src_col + cols * src_row];
        }
      }
    }
  }

  barrier();

  // copy partition(transpose(tile), (32,64))
  //   to partition(tile(dst, (32,64)), (32,64)) at (32 block_y, 64 block_x)
  {
    uint tile_at = 65u * (thread & 31u) + 2u * (thread >> 5u);
    uint dst_row = 32u * block_y + (thread & 31u);
    uint dst_col0 = 64u * block_x + 2u * (thread >> 5u);
    if (dst_row < rows) {
      for (uint v0 = 0u; v0 < 2u; ++v0) {
        uint dst_col = dst_col0 + v0;
        if (dst_col < cols) {
          dst[dst_row + rows * dst_col] = tile[tile_at + v0];
        }
      }
    }
  }
}
