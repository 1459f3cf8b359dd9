// generated: copy/auto  type=f32  result=f16  threads=256  rounds=1  vector=16
// flat arrays: independent wide accesses, converted between
// vkmoye 0.1.0: vkmoye-bench emit copy/auto --type 'f32*f16'
#version 460
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require

layout(local_size_x = 256) in;

layout(std430, binding = 0) readonly buffer Src { float src[]; };  // (cols*rows)
layout(std430, binding = 0) readonly buffer Src_x4 { vec4 src_x4[]; };  // (cols*rows)
layout(std430, binding = 1) writeonly buffer Dst { float16_t dst[]; };  // (cols*rows)
layout(std430, binding = 1) writeonly buffer Dst_x4 { f16vec4 dst_x4[]; };  // (cols*rows)
layout(push_constant) uniform Arguments { uint cols, rows, first_group_x, first_group_y; };

void main() {
  uint block_x = gl_WorkGroupID.x + first_group_x;
  uint thread = gl_LocalInvocationIndex;

  // copy partition(tile(src, (1024)), (1024)) at (1024 block_x)
  //   to partition(tile(dst, (1024)), (1024)) at (1024 block_x)
  if (1024u * block_x + 1023u < cols * rows) {
    // a whole tile
    dst_x4[256u * block_x + thread] = f16vec4(src_x4[256u * block_x + thread]);
  } else {
    // the last tile, which the array does not fill
    uint src_at0 = 1024u * block_x + 4u * thread;
    for (uint v0 = 0u; v0 < 4u; ++v0) {
      uint src_at = src_at0 + v0;
      if (src_at < cols * rows) {
        dst[src_at] = float16_t(src[src_at]);
      }
    }
  }
}
