// SPDX-License-Identifier: MIT
// What the page shows is in the fragment of its address, so that a link opens it again:
//
//   #layout?expression=(4,8):(8,1)
//   #kernel?kernel=transpose/padded&type=f16&option.pad=2
//   #tour?step=3

export function readFragment() {
  const [part, query = ""] = location.hash.slice(1).split(/\?(.*)/s);
  return { part: part || "layout", values: Object.fromEntries(new URLSearchParams(query)) };
}

// Readable where it can be: parentheses, commas, colons and slashes stay.
const quoted = (text) => encodeURIComponent(text)
  .replace(/%2C/g, ",").replace(/%3A/g, ":").replace(/%2F/g, "/").replace(/%20/g, "+");

export function fragmentOf(part, values) {
  const query = Object.entries(values).filter(([, value]) => value !== "" && value !== undefined)
    .map(([name, value]) => `${quoted(name)}=${quoted(String(value))}`).join("&");
  return `#${part}${query ? `?${query}` : ""}`;
}

// Replaces the address without a new entry in the history: typing would make one for each letter.
export const writeFragment = (part, values) => history.replaceState(null, "", fragmentOf(part, values));
