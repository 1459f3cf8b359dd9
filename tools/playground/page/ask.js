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

export function ask(what, request = {}) {
  if (worker === null) start();
  return new Promise((resolve) => {
    waiting.set(++count, resolve);
    worker.postMessage({ number: count, request: { ask: what, ...request } });
  });
}

// latest(show): a function that asks and shows the answer, unless a later call has asked meanwhile.
export function latest(show) {
  let number = 0;
  return async (what, request) => {
    const mine = ++number;
    const answer = await ask(what, request);
    if (mine === number) show(answer, request);
    return answer;
  };
}
