// generated: copy/simple  type=f32  tile=32x32  threads=(32,8):(1,32)  shared=(32,32):(1,32)
//   specialised=cols
// dst(c, r) = src(c, r): each thread reads back what it wrote itself
// vkmoye 0.1.0: vkmoye-bench emit copy/simple --type f32 --specialise cols
#version 460

layout(local_size_x = 256) in;

layout(std430, binding = 0) readonly restrict buffer Src { float src[]; };  // (cols,rows)
layout(std430, binding = 1) writeonly restrict buffer Dst { float dst[]; };  // (cols,rows)
layout(constant_id = 0) const uint cols = 1u;
layout(push_constant) uniform Arguments { uint rows, first_group_x, first_group_y; };

shared float tile[1024];  // (32,32):(1,32)

void main() {
  uint block_x = gl_WorkGroupID.x + first_group_x;
  uint block_y = gl_WorkGroupID.y + first_group_y;
  uint thread = gl_LocalInvocationIndex;

  // copy parallelize(tile(src, (32,32)), (32,8):(1,32)) at (32 block_x, 32 block_y)
  //   to parallelize(tile, (32,8):(1,32))
  {
    uint src_col = 32u * block_x + (thread & 31u);
    uint src_row0 = 32u * block_y + (thread >> 5u);
    uint tile_at = (thread & 31u) + 32u * (thread >> 5u);
    if (src_col < cols) {
      for (uint v1 = 0u; v1 < 4u; ++v1) {
        uint src_row = src_row0 + 8u * v1;
        if (src_row < rows) {
          tile[tile_at + 256u * v1] = src[src_col + cols * src_row];
        }
      }
    }
  }

  // copy parallelize(tile, (32,8):(1,32))
  //   to parallelize(tile(dst, (32,32)), (32,8):(1,32)) at (32 block_x, 32 block_y)
  {
    uint tile_at = (thread & 31u) + 32u * (thread >> 5u);
    uint dst_col = 32u * block_x + (thread & 31u);
    uint dst_row0 = 32u * block_y + (thread >> 5u);
    if (dst_col < cols) {
      for (uint v1 = 0u; v1 < 4u; ++v1) {
        uint dst_row = dst_row0 + 8u * v1;
        if (dst_row < rows) {
          dst[dst_col + cols * dst_row] = tile[tile_at + 256u * v1];
        }
      }
    }
  }
}
