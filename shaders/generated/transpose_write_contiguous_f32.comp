// generated: transpose/write_contiguous  type=f32  tile=32x32  threads=(32,32):(1,32)
// neighbouring threads write neighbours of dst and read src a row apart
// vkmoye 0.1.0: vkmoye-bench emit transpose/write_contiguous --type f32
#version 460

layout(local_size_x = 1024) in;

layout(std430, binding = 0) readonly restrict buffer Src { float src[]; };  // (cols,rows)
layout(std430, binding = 1) writeonly restrict buffer Dst { float dst[]; };  // (rows,cols)
layout(push_constant) uniform Arguments { uint cols, rows, first_group_x, first_group_y; };

void main() {
  uint block_x = gl_WorkGroupID.x + first_group_x;
  uint block_y = gl_WorkGroupID.y + first_group_y;
  uint thread = gl_LocalInvocationIndex;

  // copy parallelize(transpose(tile(src, (32,32))), (32,32):(1,32)) at (32 block_x, 32 block_y)
  //   to parallelize(tile(dst, (32,32)), (32,32):(1,32)) at (32 block_y, 32 block_x)
  {
    uint src_col = 32u * block_x + (thread >> 5u);
    uint src_row = 32u * block_y + (thread & 31u);
    if (src_col < cols && src_row < rows) {
      dst[src_row + rows * src_col] = src[src_col + cols * src_row];
    }
  }
}
