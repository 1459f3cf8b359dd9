// SPDX-License-Identifier: MIT
// What the page must show: values of expressions, and how the tasks of the tour are done.

// [expression, value as text]; pictures are compared with those of vkmoye-bench.
export const kLayouts = [
  ["composition((4,8):(8,1), 4:2)", "(2,2):(16,1)"],
  ["zipped_divide((32,32), (32,8))", "((32,8),(1,4)):((1,32),(0,256))"],
  ["zipped_divide((4,8), [2, 4])", "((2,4),(2,2)):((1,4),(2,16))"],
  ["make_tiled_copy((2,3):(3,1), (2,3))", "layout_tv ((3,2),(2,3)):((12,2),(1,4)), tiler (4,9)"],
  ["bank_map((32,32):(1,33), 32:33)", null],
  ["Swizzle<2,0,2> o 0 o (4,4):(1,4)", "Swizzle<2,0,2> o 0 o (4,4):(1,4)"],
  ["make_tiled_mma((2,4), 2, 2)", null],
  ["search_padding((32,32), parallelize((32,32), (32,8)), parallelize((32,32):(32,1), (32,8)))", "(32,32):(1,33)"],
];

// [expression, part of the error].
export const kErrors = [
  ["composition((4,8):(8,1), 5:2", "column 29: expected ',' or ')'"],
  ["(4,8):(8", "column"],
  ["compose(4, 2)", "unknown operation"],
];

// Each step: {type: text for the field} or {switch: number} in order, and the end of "Missing: " after each but the last.
export const kSolutions = [
  [{ type: "(4,8):(8,1)" }],
  [{ type: "zipped_divide((8,8), (8,2))" }, { type: "zipped_divide((8,8), (4,4))" }],
  [{ type: "(8,64)" }, { type: "(32,16)" }],
  [{ type: "(32,32):(1,34)" }, { type: "(32,32):(1,33)" }],
  [{ type: "2" }, { type: "1" }],
  [{ type: "bank_map((32,32):(1,33), 32:32)" }, { type: "bank_map(Swizzle<5,0,5> o 0 o (32,32):(1,32), 32:32)" }],
  [{ switch: 2 }, { switch: 0 }],
  [{ type: "make_tiled_copy((3,2), (2,3))" }, { type: "make_tiled_copy((2,3):(3,1), (2,3))" }],
  [{ type: "make_tiled_mma((2,4), 4, 1)" }, { type: "make_tiled_mma((2,4), 4, 2)" }],
  [{ switch: 1 }],
];
