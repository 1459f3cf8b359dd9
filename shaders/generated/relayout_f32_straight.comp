// generated: relayout  type=f32  src=(64,32,128):(128,8192,1)  dst=(64,32,128):(4096,128,1)  vector=4
// both sides run along the same mode: straight across
#version 460

layout(local_size_x = 256) in;

layout(std430, binding = 0) readonly restrict buffer Src_x4 { vec4 src_x4[]; };  // (128,64,32)
layout(std430, binding = 1) writeonly restrict buffer Dst_x4 { vec4 dst_x4[]; };  // (128,32,64)
layout(push_constant) uniform Arguments { uint first_group_x, first_group_y; };

void main() {
  uint block_x = gl_WorkGroupID.x + first_group_x;
  uint block_y = gl_WorkGroupID.y + first_group_y;
  uint thread = gl_LocalInvocationIndex;

  // elements in the order of memory, all loads before the stores
  {
    uint at0 = 4096u * block_x + 4u * thread;
    uint at0_i0 = at0 & 127u;
    uint at0_i1 = (at0 >> 7u) & 31u;
    uint at0_i2 = (at0 >> 12u) & 63u;
    vec4 value0 = src_x4[(at0_i0 >> 2u) + 32u * at0_i2 + 2048u * at0_i1];
    uint at1 = 4096u * block_x + 4u * thread + 1024u;
    uint at1_i0 = at1 & 127u;
    uint at1_i1 = (at1 >> 7u) & 31u;
    uint at1_i2 = (at1 >> 12u) & 63u;
    vec4 value1 = src_x4[(at1_i0 >> 2u) + 32u * at1_i2 + 2048u * at1_i1];
    uint at2 = 4096u * block_x + 4u * thread + 2048u;
    uint at2_i0 = at2 & 127u;
    uint at2_i1 = (at2 >> 7u) & 31u;
    uint at2_i2 = (at2 >> 12u) & 63u;
    vec4 value2 = src_x4[(at2_i0 >> 2u) + 32u * at2_i2 + 2048u * at2_i1];
    uint at3 = 4096u * block_x + 4u * thread + 3072u;
    uint at3_i0 = at3 & 127u;
    uint at3_i1 = (at3 >> 7u) & 31u;
    uint at3_i2 = (at3 >> 12u) & 63u;
    vec4 value3 = src_x4[(at3_i0 >> 2u) + 32u * at3_i2 + 2048u * at3_i1];
    dst_x4[(at0_i0 >> 2u) + 32u * at0_i1 + 1024u * at0_i2] = value0;
    dst_x4[(at1_i0 >> 2u) + 32u * at1_i1 + 1024u * at1_i2] = value1;
    dst_x4[(at2_i0 >> 2u) + 32u * at2_i1 + 1024u * at2_i2] = value2;
    dst_x4[(at3_i0 >> 2u) + 32u * at3_i1 + 1024u * at3_i2] = value3;
  }
}
