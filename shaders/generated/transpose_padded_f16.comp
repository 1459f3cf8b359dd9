// generated: transpose/padded  type=f16  tile=32x32  threads=(32,8):(1,32)  shared=(32,32):(1,33)
// dst(r, c) = src(c, r): reads run along the columns of src, writes along the rows
// vkmoye 0.1.0: vkmoye-bench emit transpose/padded --type f16
#version 460
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require

layout(local_size_x = 256) in;

layout(std430, binding = 0) readonly restrict buffer Src { float16_t src[]; };  // (cols,rows)
layout(std430, binding = 1) writeonly restrict buffer Dst { float16_t dst[]; };  // (rows,cols)
layout(push_constant) uniform Arguments { uint cols, rows, first_group_x, first_group_y; };

shared float16_t tile[1055];  // (32,32):(1,33)

void main() {
  uint block_x = gl_WorkGroupID.x + first_group_x;
  uint block_y = gl_WorkGroupID.y + first_group_y;
  uint thread = gl_LocalInvocationIndex;

  // copy parallelize(tile(src, (32,32)), (32,8):(1,32)) at (32 block_x, 32 block_y)
  //   to parallelize(tile, (32,8):(1,32))
  {
    uint src_col = 32u * block_x + (thread & 31u);
    uint src_row0 = 32u * block_y + (thread >> 5u);
    uint tile_at = (thread & 31u) + 33u * (thread >> 5u);
    if (src_col < cols) {
      for (uint v1 = 0u; v1 < 4u; ++v1) {
        uint src_row = src_row0 + 8u * v1;
        if (src_row < rows) {
          tile[tile_at + 264u * v1] = src[src_col + cols * src_row];
        }
      }
    }
  }

  barrier();

  // copy parallelize(transpose(tile), (32,8):(1,32))
  //   to parallelize(tile(dst, (32,32)), (32,8):(1,32)) at (32 block_y, 32 block_x)
  {
    uint tile_at = 33u * (thread & 31u) + (thread >> 5u);
    uint dst_row = 32u * block_y + (thread & 31u);
    uint dst_col0 = 32u * block_x + (thread >> 5u);
    if (dst_row < rows) {
      for (uint v1 = 0u; v1 < 4u; ++v1) {
        uint dst_col = dst_col0 + 8u * v1;
        if (dst_col < cols) {
          dst[dst_row + rows * dst_col] = tile[tile_at + 8u * v1];
        }
      }
    }
  }
}
