// SPDX-License-Identifier: MIT
// The ten steps of the tour. `check` takes an answer in whose way nothing stands (see obstacles), and returns "" if the
// task is done, else what is missing.
//
//   kind "layout"   an expression; check(answer of "layout")
//   kind "kernel"   a kernel and some of its fields; check(answer of "kernel")
//   kind "run"      a run of the host twin; check(answer of "run")

// The cells of a drawn layout: [["0", "4", ..], ["1", ..], ..].
export function cellsOf(answer) {
  const text = answer.pictures[0]?.text ?? "";
  return text.split("\n").slice(2).filter(Boolean).map((line) => line.trim().split(/ +/).slice(1));
}

const obstacles = {
  layout: (answer) => (answer.error ? "The expression has an error, see above." :
    answer.pictures.length === 0 ? "The value has no picture; a layout is needed." : ""),
  kernel: (answer) => (answer.error ? "The kernel is refused, see the reason above." : ""),
  run: (answer) => (answer.error ? "The run has an error, see above." : ""),
};

// What is missing of the task of `step`, whose kind of answer the page shows.
export const missingIn = (step, answer) => obstacles[step.kind](answer) || step.check(answer);

export const kSteps = [
  {
    title: "A layout is a function",
    text: ["The layout (4,8):(1,4) maps the coordinate (i, j) to the offset 1 i + 4 j: going down adds 1, going right " +
      "adds 4. This is the order of columns."],
    task: "Change the strides so that each row lies in one piece: going right adds 1.",
    kind: "layout", start: "(4,8):(1,4)",
    check(answer) {
      const cells = cellsOf(answer);
      if (cells.length !== 4 || cells[0].length !== 8) return `The shape must stay (4,8), not ${cells.length} x ${cells[0]?.length}.`;
      if (cells[0][1] !== "1") return `Going right adds ${cells[0][1] - cells[0][0]}, not 1: the second stride must be 1.`;
      return cells[1][0] === "8" ? "" : `Going down adds ${cells[1][0] - cells[0][0]}, not the 8 elements of a row.`;
    },
  },
  {
    title: "Tiles",
    text: ["zipped_divide cuts a layout into tiles: the first mode of the result runs inside a tile, the second from tile " +
      "to tile. The picture \"tiles\" shows the layout before the cut, with one colour for each tile."],
    task: "Cut the 8x8 elements into 4 tiles of 4x4.",
    kind: "layout", start: "zipped_divide((8,8), (2,4))", picture: "tiles",
    check(answer) {
      const cells = cellsOf(answer);
      if (cells.flat().length !== 64) return "All 64 elements of (8,8) are needed.";
      if (cells.length !== 16) return `A tile has ${cells.length} elements, not 16.`;
      return ["0", "1", "2", "3", "8", "9", "10", "11"].every((offset, i) => cells[i]?.[0] === offset)
        ? "" : "The tiles have 16 elements, but are not 4x4.";
    },
  },
  {
    title: "A copy by many threads",
    text: ["copy/simple moves a tile of 32x32 elements through shared memory. Its 256 threads are the layout (32,8), so " +
      "each thread moves 4 elements: v1 in the shader counts them."],
    task: "Let 512 threads do the work, so that each moves 2 elements. Reads and writes must stay coalesced.",
    kind: "kernel", values: { kernel: "copy/simple" }, fields: ["threads"],
    check(answer) {
      if (answer.description.threads !== 512) return `There are ${answer.description.threads} threads, not 512.`;
      const bad = answer.report.accesses.find((one) => one.grade !== "good");
      return bad ? `${bad.access} ${bad.array}: ${bad.verdict}. Which threads should be neighbours?` : "";
    },
  },
  {
    title: "Padding, and a mistake",
    text: ["Shared memory may be larger than the tile: a stride of 33 leaves one element unused after each 32. A tutorial " +
      "writes (32,32):(1,31) instead, which is too narrow, and the kernel is refused with two coordinates that share an address."],
    task: "Correct the layout of the shared tile, with one element of padding.",
    kind: "kernel", values: { kernel: "copy/padded", "option.shared": "(32,32):(1,31)" }, fields: ["shared"],
    check(answer) {
      const { layout } = answer.description.arrays.find((one) => one.space === "shared");
      return layout === "(32,32):(1,33)" ? "" : `The shared tile is ${layout}; one element of padding makes the second stride 33.`;
    },
  },
  {
    title: "A transpose without bank conflicts",
    text: ["A transpose writes the tile along its first mode and reads it along its second. Without padding, the 32 lanes " +
      "that read are 32 elements apart, all in one bank: the request takes 32 rounds, as the note under its line says."],
    task: "Choose the padding so that no access has a bank conflict.",
    kind: "kernel", values: { kernel: "transpose/padded", "option.pad": "0" }, fields: ["pad"],
    check(answer) {
      const bad = answer.report.accesses.find((one) => one.grade !== "good");
      return bad ? `${bad.access} ${bad.array}: ${bad.verdict}.` : "";
    },
  },
  {
    title: "A swizzle in place of padding",
    text: ["Swizzle<B,M,S> exchanges bits of an offset: B bits, from bit M on, are combined with those S bits higher. No " +
      "element is unused, but each row begins in another bank. The picture has a column for each bank, and the lanes of one " +
      "request that read along a row."],
    task: "Choose the number of bits B so that 32 lanes use 32 banks: one row of lanes.",
    kind: "layout", start: "bank_map(Swizzle<2,0,5> o 0 o (32,32):(1,32), 32:32)",
    check(answer) {
      const title = answer.pictures[0].text.split("\n")[0];
      if (!title.includes("Swizzle")) return "The storage must be swizzled: Swizzle<..> o 0 o (32,32):(1,32).";
      if (!title.includes("(32,32):(1,32)")) return "The tile must stay (32,32):(1,32), without padding.";
      return title.includes("conflict-free") || / 1-way/.test(title) ? "" : `Still a conflict: ${title.split(": ").pop()}.`;
    },
  },
  {
    title: "A race",
    text: ["The barrier between the two copies of this transpose is switched off. The host twin names an element and two " +
      "threads: one writes it, the other reads it, and nothing makes one wait for the other. A red border marks it in the array."],
    task: "Switch the barrier on. Then one guard may be off without a fault, since the size is a whole tile: switch one off, too.",
    kind: "run", values: { kernel: "transpose/padded", size: "32x32", without: "2" }, fields: ["size"],
    check(answer) {
      if (answer.switches.some((one) => one.kind === "barrier" && one.off)) return "The barrier is still off.";
      if (answer.reasons.length > 0) return "There is a fault, see above.";
      return answer.switches.some((one) => one.kind === "guard" && one.off) ? "" : "No race any more. Now switch one guard off.";
    },
  },
  {
    title: "Six threads",
    text: ["make_tiled_copy takes a layout of threads and a shape of values for each. T is the thread, V the number of its " +
      "value. Here thread 1 is below thread 0."],
    task: "Change the order of the six threads: T0, T1 and T2 side by side, T3, T4 and T5 below them.",
    kind: "layout", start: "make_tiled_copy((2,3):(1,2), (2,3))",
    check(answer) {
      const threads = cellsOf(answer).map((row) => row.map((cell) => cell.match(/^T(\d+)/)?.[1] ?? "?").join(""));
      const wanted = ["000111222", "000111222", "333444555", "333444555"];
      const i = wanted.findIndex((row, at) => threads[at] !== row);
      return i < 0 ? "" : `Row ${i} belongs to the threads ${threads[i] ?? "of nobody"}, not ${wanted[i]}.`;
    },
  },
  {
    title: "A tiled multiply-add",
    text: ["make_tiled_mma lays threads over the result C of a product; the further arguments are the rows and columns of C " +
      "that one thread computes. More of them mean more multiply-adds for each element that is loaded."],
    task: "Let the 8 threads compute a tile of 8x8 without changing their layout (2,4).",
    kind: "layout", start: "make_tiled_mma((2,4), 1, 1)",
    check(answer) {
      const cells = cellsOf(answer);
      if (!answer.text.startsWith("threads (2,4)")) return "The threads must stay (2,4).";
      return cells.length === 8 && cells[0].length === 8 ? "" : `The tile has ${cells.length} x ${cells[0].length} elements, not 8 x 8.`;
    },
  },
  {
    title: "A product",
    text: ["gemm/moye_simple is a first product: each workgroup copies a tile of A and one of B to shared memory, waits, " +
      "multiplies them, and waits again before it overwrites them. The first of its two barriers is off: the threads that " +
      "multiply do not wait for those that copy."],
    task: "Switch the barrier on. The result must be that of the definition.",
    kind: "run", fields: ["size"],
    values: { kernel: "gemm/moye_simple", size: "20x12x9", data: "random", without: "1" },
    check(answer) {
      if (answer.switches.some((one) => one.kind === "barrier" && one.off)) return "A barrier is still off.";
      if (answer.reasons.length > 0) return "There is a fault, see above.";
      return answer.result === "right" ? "" : `The result is wrong: ${answer.result}`;
    },
  },
];
