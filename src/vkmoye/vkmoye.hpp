#pragma once
// Everything a user of vkmoye needs: the layout algebra, the generator, the runtime. Nothing inside
// the project includes this file.

#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/glsl/print.hpp"
#include "vkmoye/gen/kernels/copy.hpp"
#include "vkmoye/gen/kernels/copy_auto.hpp"
#include "vkmoye/gen/kernels/copy_tiled.hpp"
#include "vkmoye/gen/kernels/gemm.hpp"
#include "vkmoye/gen/kernels/registry.hpp"
#include "vkmoye/gen/kernels/relayout.hpp"
#include "vkmoye/gen/kernels/transpose.hpp"
#include "vkmoye/gen/kernels/transpose_auto.hpp"
#include "vkmoye/gen/kernels/transpose_direct.hpp"
#include "vkmoye/gen/kernels/transpose_vector.hpp"
#include "vkmoye/gen/passes/bake.hpp"
#include "vkmoye/layout/algebra.hpp"
#include "vkmoye/runtime/device.hpp"
#include "vkmoye/runtime/guarded_buffer.hpp"
#include "vkmoye/runtime/timing.hpp"
