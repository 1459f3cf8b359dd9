// SPDX-License-Identifier: MIT
// ask("layout", {expression: "(4,8)"}) is a promise of the answer; an answer with `error` is returned as it is.

let worker = null;
let waiting = new Map();
let count = 0;

function start() {
  worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
  worker.onmessage = ({ data: { number, answer } }) => {
    waiting.get(number)?.(answer);
    waiting.delete(number);
    if (answer.stopped) restart("the libraries stopped");
  };
  worker.onerror = () => restart("the libraries could not be loaded");
}

function restart(why) {
  worker.terminate();
  for (const resolve of waiting.values()) resolve({ error: why });
  waiting = new Map();
  worker = null;
}

// An expression may search for longer than anyone waits.
const kMostSeconds = 60;

export function ask(what, request = {}) {
  if (worker === null) start();
  return new Promise((resolve) => {
    const number = ++count;
    const timer = setTimeout(() => restart(`stopped after ${kMostSeconds} s`), 1000 * kMostSeconds);
    waiting.set(number, (answer) => { clearTimeout(timer); resolve(answer); });
    worker.postMessage({ number, request: { ask: what, ...request } });
  });
}

// latest(show): a function that asks and shows the answer. While a question is open, only the newest of those that
// follow is kept, so that typing makes no queue; the answer to the others is null.
export function latest(show) {
  let isOpen = false, next = null;
  const run = async (what, request) => {
    isOpen = true;
    const answer = await ask(what, request);
    isOpen = false;
    if (next !== null) {
      const { resolve, question } = next;
      next = null;
      resolve(run(...question));
      return null;
    }
    show(answer, request);
    return answer;
  };
  return (...question) => {
    if (!isOpen) return run(...question);
    next?.resolve(null);
    return new Promise((resolve) => { next = { resolve, question }; });
  };
}
