/* Themes, printing, and the charts of the page. */

const dark = window.matchMedia("(prefers-color-scheme: dark)");
const button = document.getElementById("theme");

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : dark.matches;
}

function nameButton() {
  button.textContent = isDark() ? "Light" : "Dark";
  button.setAttribute("aria-label", "Change to the " + (isDark() ? "light" : "dark") + " theme");
}

button.hidden = false;
button.addEventListener("click", () => {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  nameButton();
});
dark.addEventListener("change", nameButton);
nameButton();

/* Paper has no button to open a table with. */
let opened = [];
window.addEventListener("beforeprint", () => {
  opened = Array.from(document.querySelectorAll("details.numbers:not([open])")).filter((d) => d.querySelectorAll("tr").length < 40);
  opened.forEach((d) => { d.open = true; });
});
window.addEventListener("afterprint", () => opened.forEach((d) => { d.open = false; }));
/* What the mouse showed stays behind when the page moves under it; what a key showed moves along. */
document.addEventListener("scroll", () => { if (ring.hidden) hideTip(); }, {passive: true});

const charts = {
  overlap: chartOverlap, values: chartValues, effect: chartEffect, times: chartTimes, slowdown: chartSlowdown, against: chartAgainst,
  rounds: chartRounds, order: chartOrder, timeline: chartTimeline,
  sweep: chartSweep, many: chartMany, "many-effects": chartManyEffects,
};

if (vega) {
  for (const figure of document.querySelectorAll("figure.chart")) {
    const make = charts[figure.dataset.chart];
    const record = page.records[Number(figure.dataset.record)];
    place(figure, (it, width) => make(it, width, record || page));
  }
}
