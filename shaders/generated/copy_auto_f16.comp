// generated: copy/auto  type=f16  threads=256  rounds=4  vector=16
// flat arrays: independent wide accesses, whatever the rows and the type
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
  uint block_y = gl_WorkGroupID.y + first_group_y;
  uint thread = gl_LocalInvocationIndex;
  if (8192u * block_x + 8191u < cols * rows) {

    // partition(tile(src, (8192)), (2048))
    // -> partition(tile(dst, (8192)), (2048))
    {
      uint src_at = 8192u * block_x + 8u * thread;
      uvec4 value0 = src_x8[src_at >> 3u];
      uvec4 value1 = src_x8[(src_at + 2048u) >> 3u];
      uvec4 value2 = src_x8[(src_at + 4096u) >> 3u];
      uvec4 value3 = src_x8[(src_at + 6144u) >> 3u];
      uint dst_at = 8192u * block_x + 8u * thread;
      dst_x8[dst_at >> 3u] = value0;
      dst_x8[(dst_at + 2048u) >> 3u] = value1;
      dst_x8[(dst_at + 4096u) >> 3u] = value2;
      dst_x8[(dst_at + 6144u) >> 3u] = value3;
    }
  } else {

    // partition(tile(src, (8192)), (2048))
    // -> partition(tile(dst, (8192)), (2048))
    {
      uint src_at0 = 8192u * block_x + 8u * thread;
      uint dst_at0 = 8192u * block_x + 8u * thread;
      for (uint v1 = 0u; v1 < 4u; ++v1) {
        for (uint v0 = 0u; v0 < 8u; ++v0) {
          uint src_at = src_at0 + v0 + 2048u * v1;
          uint dst_at = dst_at0 + v0 + 2048u * v1;
          if (src_at < cols * rows && dst_at < cols * rows) {
            float16_t value = src[src_at];
            dst[dst_at] = value;
          }
        }
      }
    }
  }
}
