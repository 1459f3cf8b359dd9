// generated: transpose/padded  type=f32  tile=48x80  threads=(16,8):(1,16)  shared=(80,48):(1,81)
// dst(r, c) = src(c, r): reads run along the columns of src, writes along the rows
// vkmoye 0.1.0: vkmoye-bench emit transpose/padded --type f32 --threads '(16,8):(1,16)'
//   --tile 48x80
#version 460

layout(local_size_x = 128) in;

layout(std430, binding = 0) readonly restrict buffer Src { float src[]; };  // (cols,rows)
layout(std430, binding = 1) writeonly restrict buffer Dst { float dst[]; };  // (rows,cols)
layout(push_constant) uniform Arguments { uint cols, rows, first_group_x, first_group_y; };

shared float tile[3887];  // (80,48):(1,81)

void main() {
  uint block_x = gl_WorkGroupID.x + first_group_x;
  uint block_y = gl_WorkGroupID.y + first_group_y;
  uint thread = gl_LocalInvocationIndex;

  // copy parallelize(tile(src, (80,48)), (16,8):(1,16)) at (80 block_x, 48 block_y)
  //   to parallelize(tile, (16,8):(1,16))
  {
    uint src_col0 = 80u * block_x + (thread & 15u);
    uint src_row0 = 48u * block_y + (thread >> 4u);
    uint tile_at = (thread & 15u) + 81u * (thread >> 4u);
    for (uint v1 = 0u; v1 < 6u; ++v1) {
      for (uint v0 = 0u; v0 < 5u; ++v0) {
        uint src_col = src_col0 + 16u * v0;
        uint src_row = src_row0 + 8u * v1;
        if (src_col < cols && src_row < rows) {
          tile[tile_at + 16u * v0 + 648u * v1] = src[src_col + cols * src_row];
        }
      }
    }
  }

  barrier();

  // copy parallelize(transpose(tile), (16,8):(1,16))
  //   to parallelize(tile(dst, (48,80)), (16,8):(1,16)) at (48 block_y, 80 block_x)
  {
    uint tile_at = 81u * (thread & 15u) + (thread >> 4u);
    uint dst_row0 = 48u * block_y + (thread & 15u);
    uint dst_col0 = 80u * block_x + (thread >> 4u);
    for (uint v1 = 0u; v1 < 10u; ++v1) {
      for (uint v0 = 0u; v0 < 3u; ++v0) {
        uint dst_row = dst_row0 + 16u * v0;
        uint dst_col = dst_col0 + 8u * v1;
        if (dst_row < rows && dst_col < cols) {
          dst[dst_row + rows * dst_col] = tile[tile_at + 1296u * v0 + 8u * v1];
        }
      }
    }
  }
}
