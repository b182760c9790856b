"use strict";
/* The page's own script. The data is JSON in the page; nothing is loaded, and no text of a record becomes markup: it
   reaches the page as text alone. */
const page = JSON.parse(document.getElementById("data").textContent);

const css = (name) => "var(--" + name + ")";
const finite = (x) => typeof x === "number" && isFinite(x);
const clamp = (x, low, high) => Math.min(Math.max(x, low), high);

/* "0.97", "-0.10"; "?" where nothing was measured. */
function ratio(x, decimals) {
  if (!finite(x)) return "?";
  const text = x.toFixed(decimals === undefined ? 2 : decimals);
  return /^-0\.?0*$/.test(text) ? text.slice(1) : text;
}

const ms = (x) => (finite(x) ? ratio(x, x < 10 ? 3 : x < 1000 ? 2 : 0) + " ms" : "?");

/* [median, low, high] as "0.97 [0.95, 1.00]". */
function interval(e, scale, decimals) {
  if (!e) return "?";
  const k = scale || 1;
  return ratio(e[0] * k, decimals) + " [" + ratio(e[1] * k, decimals) + ", " + ratio(e[2] * k, decimals) + "]";
}

/* What an outcome looks like: never by its colour alone. */
function look(means) {
  if (/^(CONFOUNDED|A\/A FAILED|NOT SEEN|INVALID|SPOILT)$/.test(means)) return {color: css("bad"), shape: "diamond"};
  if (/^(inconclusive|starved|A\/A open)$/.test(means)) return {color: css("open"), shape: "square"};
  if (/^(clear|A\/A clear)/.test(means)) return {color: css("good"), shape: "circle"};
  return {color: css("ink"), shape: "circle"};
}

const seriesColor = (i) => css("v" + (i % 8));
const seriesShape = (i) => ["circle", "triangle-up", "square", "diamond", "cross", "triangle-down"][i % 6];

function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

/* Least and most of numbers, a list or nested lists of them. */
function extent(values) {
  let low = Infinity;
  let high = -Infinity;
  for (const x of values) {
    if (!finite(x)) continue;
    if (x < low) low = x;
    if (x > high) high = x;
  }
  return low <= high ? [low, high] : [0, 1];
}
