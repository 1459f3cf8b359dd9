// generated: relayout  type=f32  src=(64,32,128):(128,8192,1)  dst=(64,32,128):(4096,128,1)  vector=4
// both sides run along the same mode: straight across
// vkmoye 0.1.0: vkmoye-bench emit relayout --type f32 --permute 1,0,2
#version 460

layout(local_size_x = 256) in;

layout(std430, binding = 0) readonly restrict buffer Src_x4 { vec4 src_x4[]; };  // (128,64,32)
layout(std430, binding = 1) writeonly restrict buffer Dst_x4 { vec4 dst_x4[]; };  // (128,32,64)
layout(push_constant) uniform Arguments { uint first_group_x, first_group_y; };

void main() {
  uint block_x = gl_WorkGroupID.x + first_group_x;
  uint thread = gl_LocalInvocationIndex;
  uint at0 = 4096u * block_x + 4u * thread;
  uint at1 = at0 + 1024u;
  uint at2 = at0 + 2048u;
  uint at3 = at0 + 3072u;

  // copy take(composition(tile(src, (128,64,32)), (128,32,64):(1,8192,128)), 4)
  //   to take(tile(dst, (128,32,64)), 4)
  // 4 of them, all loads before the stores
  {
    uint src0_i2 = (at0 >> 12u) & 63u;
    uint src0_i1 = (at0 >> 7u) & 31u;
    vec4 value0 = src_x4[((at0 & 127u) >> 2u) + 32u * src0_i2 + 2048u * src0_i1];
    uint src1_i2 = (at1 >> 12u) & 63u;
    uint src1_i1 = (at1 >> 7u) & 31u;
    vec4 value1 = src_x4[((at1 & 127u) >> 2u) + 32u * src1_i2 + 2048u * src1_i1];
    uint src2_i2 = (at2 >> 12u) & 63u;
    uint src2_i1 = (at2 >> 7u) & 31u;
    vec4 value2 = src_x4[((at2 & 127u) >> 2u) + 32u * src2_i2 + 2048u * src2_i1];
    uint src3_i2 = (at3 >> 12u) & 63u;
    uint src3_i1 = (at3 >> 7u) & 31u;
    vec4 value3 = src_x4[((at3 & 127u) >> 2u) + 32u * src3_i2 + 2048u * src3_i1];
    dst_x4[((at0 & 127u) >> 2u) + 32u * src0_i1 + 1024u * src0_i2] = value0;
    dst_x4[((at1 & 127u) >> 2u) + 32u * src1_i1 + 1024u * src1_i2] = value1;
    dst_x4[((at2 & 127u) >> 2u) + 32u * src2_i1 + 1024u * src2_i2] = value2;
    dst_x4[((at3 & 127u) >> 2u) + 32u * src3_i1 + 1024u * src3_i2] = value3;
  }
}
