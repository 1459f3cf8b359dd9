// generated: copy/auto  type=f16  threads=256  rounds=1  vector=16
// flat arrays: independent wide accesses, whatever the rows and the type
// vkmoye 0.1.0: vkmoye-bench emit copy/auto --type f16
#version 460
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require

layout(local_size_x = 256) in;

layout(std430, binding = 0) readonly buffer Src { float16_t src[]; };  // (cols*rows)
layout(std430, binding = 0) readonly buffer Src_x8 { uvec4 src_x8[]; };  // (cols*rows)
layout(std430, binding = 1) writeonly buffer Dst { float16_t dst[]; };  // (cols*rows)
layout(std430, binding = 1) writeonly buffer Dst_x8 { uvec4 dst_x8[]; };  // (cols*rows)
layout(push_constant) uniform Arguments { uint cols, rows, first_group_x, first_group_y; };

void main() {
  uint block_x = gl_WorkGroupID.x + first_group_x;
  uint thread = gl_LocalInvocationIndex;

  // copy partition(tile(src, (2048)), (2048)) at (2048 block_x)
  //   to partition(tile(dst, (2048)), (2048)) at (2048 block_x)
  if (2048u * block_x + 2047u < cols * rows) {
    // a whole tile
    dst_x8[256u * block_x + thread] = src_x8[256u * block_x + thread];
  } else {
    // the last tile, which the array does not fill
    uint src_at0 = 2048u * block_x + 8u * thread;
    for (uint v0 = 0u; v0 < 8u; ++v0) {
      uint src_at = src_at0 + v0;
      if (src_at < cols * rows) {
        dst[src_at] = src[src_at];
      }
    }
  }
}
