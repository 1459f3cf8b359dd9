// generated: copy/simple  type=f32  tile=24x40  threads=(20,12):(12,1)  shared=(40,24):(1,40)
// dst(c, r) = src(c, r): each thread reads back what it wrote itself
// vkmoye 0.1.0: vkmoye-bench emit copy/simple --type f32 --threads '(20,12):(12,1)' --tile 24x40
#version 460

layout(local_size_x = 240) in;

layout(std430, binding = 0) readonly restrict buffer Src { float src[]; };  // (cols,rows)
layout(std430, binding = 1) writeonly restrict buffer Dst { float dst[]; };  // (cols,rows)
layout(push_constant) uniform Arguments { uint cols, rows, first_group_x, first_group_y; };

shared float tile[960];  // (40,24):(1,40)

void main() {
  uint block_x = gl_WorkGroupID.x + first_group_x;
  uint block_y = gl_WorkGroupID.y + first_group_y;
  uint thread = gl_LocalInvocationIndex;

  // copy parallelize(tile(src, (40,24)), (20,12):(12,1)) at (40 block_x, 24 block_y)
  //   to parallelize(tile, (20,12):(12,1))
  {
    uint src_col0 = 40u * block_x + thread / 12u;
    uint src_row0 = 24u * block_y + thread % 12u;
    uint tile_at = thread / 12u + 40u * (thread % 12u);
    for (uint v1 = 0u; v1 < 2u; ++v1) {
      for (uint v0 = 0u; v0 < 2u; ++v0) {
        uint src_col = src_col0 + 20u * v0;
        uint src_row = src_row0 + 12u * v1;
        if (src_col < cols && src_row < rows) {
          tile[tile_at + 20u * v0 + 480u * v1] = src[src_col + cols * src_row];
        }
      }
    }
  }

  // copy parallelize(tile, (20,12):(12,1))
  //   to parallelize(tile(dst, (40,24)), (20,12):(12,1)) at (40 block_x, 24 block_y)
  {
    uint tile_at = thread / 12u + 40u * (thread % 12u);
    uint dst_col0 = 40u * block_x + thread / 12u;
    uint dst_row0 = 24u * block_y + thread % 12u;
    for (uint v1 = 0u; v1 < 2u; ++v1) {
      for (uint v0 = 0u; v0 < 2u; ++v0) {
        uint dst_col = dst_col0 + 20u * v0;
        uint dst_row = dst_row0 + 12u * v1;
        if (dst_col < cols && dst_row < rows) {
          dst[dst_col + cols * dst_row] = tile[tile_at + 20u * v0 + 480u * v1];
        }
      }
    }
  }
}
