// SPDX-License-Identifier: MIT
// The libraries in a thread of their own, so that a proof does not stop the page: one answer for each request.
import load from "./vkmoye.js";

const ready = load();

onmessage = async ({ data: { number, request } }) => {
  let answer;
  try {
    const libraries = await ready;
    const text = libraries.stringToNewUTF8(JSON.stringify(request));
    answer = JSON.parse(libraries.UTF8ToString(libraries._answer(text)));
    libraries._free(text);
  } catch (error) {  // the stack overflows, or memory ends: the module cannot be used again
    answer = { error: `the libraries stopped: ${error.message}`, stopped: true };
  }
  postMessage({ number, answer });
};
