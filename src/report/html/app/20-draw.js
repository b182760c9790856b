/* A chart is drawn from {width-free} marks whose y is in pixels and whose x goes through the scale "x". What can be
   pointed at is named pick…, and its data has `tip`, text in lines, and `row`. */

const tip = document.getElementById("tip");
const ring = document.getElementById("ring");
const live = document.getElementById("live");
const vega = typeof cf_vega === "undefined" ? null : Object.assign({}, ...[
  "vega-util", "vega-dataflow", "vega-scale", "vega-parser", "vega-runtime", "vega-view", "vega-interpreter",
].map((name) => cf_vega[name]));
if (vega) {
  for (const name of ["vega-transforms", "vega-view-transforms", "vega-encode"])
    Object.assign(vega.transforms, cf_vega[name]);
}

const config = {
  font: "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif",
  axis: {
    domainColor: css("line"), tickColor: css("line"), gridColor: css("grid"), labelColor: css("ink2"),
    titleColor: css("ink2"), labelFontSize: 12, titleFontSize: 12, titleFontWeight: "normal", labelFlush: true,
    labelOverlap: true, labelSeparation: 8, titlePadding: 6,
  },
  text: {fontSize: 13, fill: css("ink")},
};

function hideTip() {
  tip.hidden = true;
  ring.hidden = true;
}

/* Shows text beside box, a place on the screen, within the window. */
function showTip(text, box) {
  tip.textContent = text;
  tip.hidden = false;
  const wide = tip.offsetWidth, tall = tip.offsetHeight;
  const left = clamp(box.left + box.width / 2 - wide / 2, 6, Math.max(6, window.innerWidth - wide - 6));
  const above = box.top - tall - 10;
  tip.style.left = left + window.scrollX + "px";
  tip.style.top = (above > 6 ? above : box.bottom + 10) + window.scrollY + "px";
}

function showRing(box) {
  ring.hidden = false;
  ring.style.left = box.left + window.scrollX - 4 + "px";
  ring.style.top = box.top + window.scrollY - 4 + "px";
  ring.style.width = box.width + 8 + "px";
  ring.style.height = box.height + 8 + "px";
}

/* Everything that can be pointed at, row by row. */
function picksOf(view) {
  const found = [];
  for (const mark of view.scenegraph().root.items[0].items) {
    if (!/^pick/.test(mark.name || "")) continue;
    for (const item of mark.items) if (item.datum && item.datum.tip && item._svg) found.push(item);
  }
  return found.sort((a, b) => a.datum.row - b.datum.row || a.bounds.x1 - b.bounds.x1);
}

/* Arrow keys walk from mark to mark: left and right within a row, up and down between rows. */
function move(picks, at, key) {
  if (at < 0) return 0;
  const row = picks[at].datum.row;
  switch (key) {
    case "ArrowRight": return Math.min(at + 1, picks.length - 1);
    case "ArrowLeft": return Math.max(at - 1, 0);
    case "Home": return 0;
    case "End": return picks.length - 1;
    case "ArrowDown": {
      const next = picks.findIndex((item) => item.datum.row > row);
      return next < 0 ? at : next;
    }
    case "ArrowUp": {
      const before = picks.filter((item) => item.datum.row < row);
      return before.length ? picks.findIndex((item) => item.datum.row === before[before.length - 1].datum.row) : at;
    }
  }
  return -1;
}

function listenToKeys(plot) {
  let at = -1;
  plot.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !plot.view) return;
    if (event.key === "Escape") return hideTip();
    if (!/^(Arrow|Home|End)/.test(event.key)) return;
    const picks = picksOf(plot.view);
    if (!picks.length) return;
    if (at >= picks.length) at = -1;
    at = move(picks, at, event.key);
    const box = picks[at]._svg.getBoundingClientRect();
    showTip(picks[at].datum.tip, box);
    showRing(box);
    live.textContent = picks[at].datum.tip;
    event.preventDefault();
  });
  plot.addEventListener("blur", hideTip);
  plot.addEventListener("mouseleave", hideTip);
}

function specOf(chart, width) {
  const pad = Object.assign({left: 14, right: 14, top: 8, bottom: 44}, chart.padding);
  return {
    $schema: "https://vega.github.io/schema/vega/v5.json",
    width: width - pad.left - pad.right, height: chart.height, padding: pad, autosize: "none",
    signals: chart.signals || [],
    data: Object.keys(chart.data).map((name) => ({name: name, values: chart.data[name]})),
    scales: chart.scales, axes: chart.axes || [], marks: chart.marks,
  };
}

function draw(figure, plot, chart, width) {
  if (plot.view) plot.view.finalize();
  hideTip();
  const holder = element("div");
  plot.replaceChildren(holder);
  const view = new vega.View(vega.parse(specOf(chart, width), config, {ast: true}), {
    renderer: "svg", container: holder, hover: false, expr: vega.expressionInterpreter, logLevel: 1,
    tooltip: (handler, event, item, text) => {
      if (text === null || text === undefined || text === "") return hideTip();
      ring.hidden = true;
      showTip(text, item._svg ? item._svg.getBoundingClientRect()
        : {left: event.clientX, width: 0, top: event.clientY, bottom: event.clientY});
    },
  });
  plot.view = view;
  view.runAsync().then(() => { figure.dataset.drawn = String(Math.round(width)); });
}

/* Draws when the place has a width, and again when it gets another one: in a closed <details> it has none. */
function place(figure, make) {
  const plot = figure.querySelector(".plot");
  const chart = make(figure, plot.clientWidth || 800);
  if (!chart) {
    plot.remove();
    figure.dataset.drawn = "none";
    return;
  }
  const title = figure.querySelector("h2").textContent;
  plot.setAttribute("aria-label", title + " Chart; arrow keys go from mark to mark. Its numbers are in the table below.");
  const said = figure.querySelector("p.said");
  said.textContent = chart.said || "";
  said.hidden = !chart.said;
  listenToKeys(plot);
  let drawn = 0;
  figure.redraw = () => draw(figure, plot, make(figure, drawn), drawn);
  new ResizeObserver(() => {
    const width = Math.floor(plot.clientWidth);
    if (width < 40 || width === drawn) return;
    drawn = width;
    figure.redraw();
  }).observe(plot);
}

/* ---- the parts of a legend, in HTML so that they wrap and can be read ---- */

function setLegend(figure, items) {
  const legend = figure.querySelector(".legend");
  if (!legend || legend.childElementCount) return;
  for (const item of items) {
    const part = element("span", "key");
    const mark = element("i", "mark " + item.mark);
    mark.setAttribute("aria-hidden", "true");
    if (item.color) mark.style.setProperty("--c", item.color);
    part.append(mark, item.text);
    legend.append(part);
  }
}

/* Buttons that put one series in front: the others are dimmed by the signal "on". */
function setSwitches(figure, names, shapeOf) {
  const legend = figure.querySelector(".legend");
  if (!legend || legend.childElementCount) return;
  figure.on = -1;
  names.forEach((name, i) => {
    const button = element("button", "key");
    button.type = "button";
    button.setAttribute("aria-pressed", "false");
    const mark = element("i", "mark " + (shapeOf ? shapeOf(i) : "square"));
    mark.setAttribute("aria-hidden", "true");
    mark.style.setProperty("--c", seriesColor(i));
    button.append(mark, name);
    button.addEventListener("click", () => {
      figure.on = figure.on === i ? -1 : i;
      legend.querySelectorAll("button").forEach((b, k) => b.setAttribute("aria-pressed", String(k === figure.on)));
      const plot = figure.querySelector(".plot");
      if (plot.view) plot.view.signal("on", figure.on).runAsync();
    });
    legend.append(button);
  });
}
