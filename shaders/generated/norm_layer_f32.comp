// generated: norm/layer  type=f32  threads=64  subgroup-size=32  columns=64  rounds=1  vector=4
//   epsilon=1e-05
// rows that fit stay in registers, longer ones are read twice
// vkmoye 0.1.0: vkmoye-bench emit norm/layer --type f32 --rounds 1 --threads 64 --vector 4
#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_basic : require

layout(local_size_x = 64) in;

layout(std430, binding = 0) readonly restrict buffer Src { float src[]; };  // (cols,rows)
layout(std430, binding = 1) readonly restrict buffer Weight { float weight[]; };  // (cols)
layout(std430, binding = 2) readonly restrict buffer Bias { float bias[]; };  // (cols)
layout(std430, binding = 3) writeonly restrict buffer Dst { float dst[]; };  // (cols,rows)
layout(push_constant) uniform Arguments { uint cols, rows, first_group_x, first_group_y; };

shared float total_partials[4];  // (2,2):(1,2)
shared float moments_partials[6];  // (2,3):(1,2)

float total[2];  // 2:1
float moments[3];  // 3:1
float before[2];  // 2:1
float x;

void read_block(uint block_of_row, uint block_x, uint thread) {
  if (64u * block_of_row + 63u < cols && block_x < rows) {
    // a whole tile, rows aligned:
    // copy partition(tile(src, (64,1)), (64,1)) at (64 block_of_row, block_x)
    //   to x
    uint src_col = 64u * block_of_row + thread;
    x = src[src_col + cols * block_x];
  } else {
    // a tile at an edge, or rows that are not aligned
    x = 0.0;

    // copy partition(tile(src, (64,1)), (64,1)) at (64 block_of_row, block_x)
    //   to x
    {
      uint src_col = 64u * block_of_row + thread;
      float value = src[min(src_col, cols - 1u) + cols * min(block_x, rows - 1u)];
      if (src_col < cols && block_x < rows) {
        x = value;
      }
    }
  }
}

void shift_moments(float first_of_row) {
  // moments <- those around the new centre
  {
    float count = before[0];
    float merged_count = total[0];
    float merged_total = total[1];
    precise float merged = first_of_row + merged_total / max(merged_count, 1.0) * 8589935000.0;
    float own_count = before[0];
    float own_total = before[1];
    precise float own = first_of_row + own_total / max(own_count, 1.0) * 8589935000.0;
    precise float h = own - merged;
    float deviations = moments[0];
    moments[0] = deviations + h * 1.1641532e-10 * count;
    float squares1 = moments[1];
    moments[1] = squares1 + h * (deviations * 17179870000.0 + h * count);
    float h2 = h * 5.169879e-26;
    float squares2 = moments[2];
    moments[2] = squares2 + h2 * (deviations * 8.881784e-16 + h2 * count);
  }
}

void main() {
  float first;
  float w;
  uint block_x = gl_WorkGroupID.x + first_group_x;
  uint subgroup = gl_SubgroupID;
  uint lane = gl_SubgroupInvocationID;
  uint thread = 32u * subgroup + lane;
  uint blocks = (cols >> 6u) + min(cols & 63u, 1u);  // ceil(cols / 64)

  // copy partition(slice(tile(src, (1,1)), (0,_)), (64,1)) at (0, block_x)
  //   to first
  if (0u < cols && block_x < rows) {
    first = src[cols * block_x];
  } else {
    first = 0.0;
  }

  float first_element = first;
  float first_of_row = first_element * 0.25;

  // total <- 0
  [[unroll]] for (uint v0 = 0u; v0 < 2u; ++v0) {
    total[v0] = 0.0;
  }

  // moments <- 0
  [[unroll]] for (uint v0 = 0u; v0 < 3u; ++v0) {
    moments[v0] = 0.0;
  }

  [[dont_unroll]] for (uint block = 0u; block < blocks; ++block) {
    read_block(block, block_x, thread);

    // copy total
    //   to before
    [[unroll]] for (uint v0 = 0u; v0 < 2u; ++v0) {
      before[v0] = total[v0];
    }

    // count += 1, total += x - first_of_row, for each x of the row
    if (64u * block + thread < cols && block_x < rows) {
      // all are of the row
      {
        precise float difference = x * 0.25 - first_of_row;
        float off = difference;
        total[1] += off * 1.1641532e-10;
      }
      float count = total[0];
      total[0] = count + 1.0;
    } else {
      float total_value = total[1];
      bool is_inside = 64u * block + thread < cols;
      float count = total[0];
      total[0] = count + (is_inside ? 1.0 : 0.0);
      precise float difference = x * 0.25 - first_of_row;
      float off = is_inside ? difference : 0.0;
      total[1] = total_value + off * 1.1641532e-10;
    }

    shift_moments(first_of_row);
    float centre_count = total[0];
    float centre_total = total[1];
    precise float centre = first_of_row + centre_total / max(centre_count, 1.0) * 8589935000.0;

    // moments += x - centre and its squares, for each x of the row
    if (64u * block + thread < cols && block_x < rows) {
      // all are of the row:
      float moments_value = moments[0];
      precise float difference = x * 0.25 - centre;
      float off = difference;
      float squares1 = moments[1];
      moments[1] = fma(off, off, squares1);
      float squares2 = moments[2];
      precise float scaled2 = off * 5.169879e-26;
      moments[2] = fma(scaled2, scaled2, squares2);
      moments[0] = moments_value + off * 1.1641532e-10;
    } else {
      float moments_value = moments[0];
      bool is_inside = 64u * block + thread < cols;
      precise float difference = x * 0.25 - centre;
      float off = is_inside ? difference : 0.0;
      float squares1 = moments[1];
      moments[1] = fma(off, off, squares1);
      float squares2 = moments[2];
      precise float scaled2 = off * 5.169879e-26;
      moments[2] = fma(scaled2, scaled2, squares2);
      moments[0] = moments_value + off * 1.1641532e-10;
    }
  }

  // copy total
  //   to before
  [[unroll]] for (uint v0 = 0u; v0 < 2u; ++v0) {
    before[v0] = total[v0];
  }

  // total <- sum over the lanes of the subgroup
  [[unroll]] for (uint v0 = 0u; v0 < 2u; ++v0) {
    total[v0] = subgroupAdd(total[v0]);
  }

  if ((thread & 31u) == 0u) {
    // total_partials <- total, from one thread of each subgroup
    [[unroll]] for (uint v0 = 0u; v0 < 2u; ++v0) {
      total_partials[(thread >> 5u) + 2u * v0] = total[v0];
    }
  }

  barrier();

  // total <- 0
  [[unroll]] for (uint v0 = 0u; v0 < 2u; ++v0) {
    total[v0] = 0.0;
  }

  // total += each of total_partials
  [[unroll]] for (uint v1 = 0u; v1 < 2u; ++v1) {
    [[unroll]] for (uint v0 = 0u; v0 < 2u; ++v0) {
      total[v0] += total_partials[2u * v0 + v1];
    }
  }

  shift_moments(first_of_row);

  // moments <- sum over the lanes of the subgroup
  [[unroll]] for (uint v0 = 0u; v0 < 3u; ++v0) {
    moments[v0] = subgroupAdd(moments[v0]);
  }

  if ((thread & 31u) == 0u) {
    // moments_partials <- moments, from one thread of each subgroup
    [[unroll]] for (uint v0 = 0u; v0 < 3u; ++v0) {
      moments_partials[(thread >> 5u) + 2u * v0] = moments[v0];
    }
  }

  barrier();

  // moments <- 0
  [[unroll]] for (uint v0 = 0u; v0 < 3u; ++v0) {
    moments[v0] = 0.0;
  }

  // moments += each of moments_partials
  [[unroll]] for (uint v1 = 0u; v1 < 2u; ++v1) {
    [[unroll]] for (uint v0 = 0u; v0 < 3u; ++v0) {
      moments[v0] += moments_partials[2u * v0 + v1];
    }
  }

  float count = total[0];
  float centre_count = total[0];
  float centre_total = total[1];
  precise float centre = first_of_row + centre_total / max(centre_count, 1.0) * 8589935000.0;
  float deviations = moments[0];
  float mean_off_centre = deviations / count * 8589935000.0;
  float squares = moments[1];
  float large_squares = moments[2];
  float scaled_shift = mean_off_centre * ((8.4703295e-22 < large_squares) ? 5.169879e-26 : 1.0);
  float mean = max(
      ((8.4703295e-22 < large_squares) ? large_squares : squares) / count - scaled_shift * scaled_shift, 0.0);
  float epsilon = (8.4703295e-22 < large_squares) ? 0.0 : 6.25e-07;
  float power = (8.4703295e-22 < large_squares) ? 2.3283064e-10 : 1.0;
  float scale = inversesqrt(mean + epsilon) * ((8.4703295e-22 < large_squares) ? 2.220446e-16 : 1.0);

  [[dont_unroll]] for (uint block = 0u; block < blocks; ++block) {
    if (1u < blocks) {
      // a row of several blocks: read again
      read_block(block, block_x, thread);
    }

    if (64u * block + 63u < cols) {
      // a whole tile, rows aligned:
      // copy partition(tile(weight, (64)), (64,1)) at (64 block)
      //   to w
      uint weight_col = 64u * block + thread;
      w = weight[weight_col];
    } else {
      // a tile at an edge, or rows that are not aligned
      w = 0.0;

      // copy partition(tile(weight, (64)), (64,1)) at (64 block)
      //   to w
      {
        uint weight_col = 64u * block + thread;
        float value = weight[min(weight_col, cols - 1u)];
        if (weight_col < cols) {
          w = value;
        }
      }
    }

    // x <- (x - mean) / sqrt(variance + epsilon) * w
    {
      precise float difference = x * 0.25 - centre;
      precise float scaled = (difference - mean_off_centre) * power;
      x = scaled * scale * w;
    }

    if (64u * block + 63u < cols) {
      // a whole tile, rows aligned:
      // copy partition(tile(bias, (64)), (64,1)) at (64 block)
      //   to w
      uint bias_col = 64u * block + thread;
      w = bias[bias_col];
    } else {
      // a tile at an edge, or rows that are not aligned
      w = 0.0;

      // copy partition(tile(bias, (64)), (64,1)) at (64 block)
      //   to w
      {
        uint bias_col = 64u * block + thread;
        float value = bias[min(bias_col, cols - 1u)];
        if (bias_col < cols) {
          w = value;
        }
      }
    }

    // x <- x + w, the bias
    x += w;

    // copy x
    //   to partition(tile(dst, (64,1)), (64,1)) at (64 block, block_x)
    if (64u * block + 63u < cols && block_x < rows) {
      // a whole tile, rows aligned
      uint dst_col = 64u * block + thread;
      dst[dst_col + cols * block_x] = x;
    } else {
      // a tile at an edge, or rows that are not aligned
      uint dst_col = 64u * block + thread;
      if (dst_col < cols && block_x < rows) {
        dst[dst_col + cols * block_x] = x;
      }
    }
  }
}
