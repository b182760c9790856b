/* Many runs: along a range, or beside each other. */

/* ---- a range: overlap against its numbers ---- */

function sweepDomain(set) {
  const all = set.points.flatMap((p) => p.variants.flatMap((v) => (v ? (v.overlap || []).slice(0, 1) : [])));
  const [low, high] = extent(all);
  return [clamp(low - 0.05, -0.6, -0.06), clamp(high + 0.05, 1.06, 1.6)];
}

/* Labels of the range's points, as many as fit. */
function pointLabels(set, width, y) {
  const seen = new Map();
  for (const p of set.points) if (!seen.has(p.number)) seen.set(p.number, p.value);
  const every = Math.max(1, Math.ceil(seen.size * 62 / Math.max(width, 60)));
  return Array.from(seen).sort((a, b) => a[0] - b[0]).filter((_, i) => i % every === 0)
    .map(([number, label]) => ({x: number, y: y, text: label, color: css("ink2"), weight: "normal"}));
}

/* Variants that say the same stand beside each other, not on each other: dx pixels apart. */
function sweepSeries(set, name, i, up, domain, apart) {
  const dx = (i - (set.names.length - 1) / 2) * apart;
  const dots = [], rules = [];
  const byNumber = new Map();
  for (const p of set.points) {
    const v = p.variants[i];
    if (!v || !v.overlap || !finite(p.number)) continue;
    const [m, low, high] = v.overlap;
    dots.push({x: p.number, dx: dx, y: up(m), row: i, v: i, color: seriesColor(i), shape: seriesShape(i), tip: name + " at " + p.label +
      "\noverlap " + interval(v.overlap) + ", " + v.reading + (v.effect ? "\n" + v.effect + ", effect " + interval(v.delta) : "")});
    rules.push({dx: dx, x0: p.number, x1: p.number, y0: up(finite(low) ? low : domain[0]), y1: up(finite(high) ? high : domain[1]),
      color: seriesColor(i), w: 2, v: i});
    byNumber.set(p.number, (byNumber.get(p.number) || []).concat(m));
  }
  const middle = (list) => list.sort((a, b) => a - b)[Math.floor((list.length - 1) / 2)];
  const line = Array.from(byNumber).sort((a, b) => a[0] - b[0]).map(([x, list]) => ({x: x, y: up(middle(list)), v: i, color: seriesColor(i)}));
  return {dots, rules, line};
}

function chartSweep(figure, width) {
  const set = page.set;
  const height = 300;
  const domain = sweepDomain(set);
  const numbers = extent(set.points.map((p) => p.number));
  const up = (o) => height - (clamp(o, ...domain) - domain[0]) / (domain[1] - domain[0]) * height;
  const log = numbers[0] > 0;
  const alone = numbers[0] === numbers[1];
  const xs = !alone ? numbers : log ? [numbers[0] / 2, numbers[1] * 2] : [numbers[0] - 1, numbers[1] + 1];
  const control = set.points.map((p) => p.variants[0]).find((v) => v && finite(v.best) && v.best > 0);
  const best = control ? control.best : 1;
  const edges = [domain[0], set.low * best, set.high * best, domain[1]];
  const words = ["serialises", "partial", "overlaps"];
  const data = {
    bands: words.map((name, k) => ({x0: xs[0], x1: xs[1], y0: up(edges[k + 1]), y1: up(edges[k]), color: css("band-" + name)})),
    bandNames: words.map((text, k) => ({px: 6, y: [up(edges[1]) + 14, up(best / 2) + 4, up(edges[2]) - 5][k], text: text, color: css("ink2"), weight: "normal"})),
    ticks: [0, 0.25, 0.5, 0.75, 1].map((o) => ({px: -6, y: up(o) + 4, text: String(o), color: css("ink2"), weight: "normal"})),
    labels: pointLabels(set, width - 60, height + 18),
    title: [{y: height + 36, text: set.key + (log ? ", logarithmic" : ""), color: css("ink2"), weight: "normal"}],
    dots: [], rules: [],
  };
  const lines = [];
  const places = new Set(set.points.map((p) => p.number)).size;
  const apart = Math.min(7, 40 / set.names.length, (width - 110) / (places * (set.names.length + 1)));
  set.names.forEach((name, i) => {
    const series = sweepSeries(set, name, i, up, domain, apart);
    data.dots.push(...series.dots);
    data.rules.push(...series.rules);
    data["line" + i] = series.line;
    lines.push({type: "line", from: {data: "line" + i}, aria: false, interactive: false, encode: {update: {x: at("x"), y: f("y"),
      stroke: {value: seriesColor(i)}, strokeWidth: {value: 1.8}, strokeOpacity: [{test: "on >= 0 && on !== " + i, value: 0.12}, {value: 0.8}]}}});
  });
  setSwitches(figure, set.names, seriesShape);
  const dim = [{test: "on >= 0 && datum.v !== on", value: 0.12}, {value: 1}];
  return {
    height: height, padding: {left: 40, right: 16, top: 10, bottom: 46}, scales: [Object.assign(xScale(xs, log ? "log" : "linear"), {padding: 26})],
    signals: [{name: "on", value: figure.on === undefined ? -1 : figure.on}], data: data,
    marks: [rectMark("bands", {x: {value: 0}, x2: {signal: "width"}}), textMark("bandNames", {fontSize: {value: 11}}),
      textMark("ticks", {align: {value: "right"}, fontSize: {value: 12}}), textMark("labels", {x: at("x"), align: {value: "center"}, fontSize: {value: 12}}),
      textMark("title", {x: {signal: "width / 2"}, align: {value: "center"}, fontSize: {value: 12}}),
      ...lines, ruleMark("rules", {x: {scale: "x", field: "x0", offset: {field: "dx"}}, x2: {scale: "x", field: "x1", offset: {field: "dx"}}, strokeOpacity: dim}),
      pickMark("pick-points", "dots", "symbol", {x: {scale: "x", field: "x", offset: {field: "dx"}}, size: {value: 70}, stroke: {value: css("paper")}, strokeWidth: {value: 1}, opacity: dim})],
  };
}

/* ---- beside each other: a row a variant, a line a run ---- */

function manyLayout(set, names, wide) {
  const tall = Math.max(0.5, Math.min(16, 300 / set.points.length));
  const row = LABEL + tall * set.points.length + GAP;
  return {
    height: names.length * row - GAP + 4, tall: tall, labelled: tall >= 11,
    left: tall >= 11 ? clamp(Math.max(...set.points.map((p) => p.label.length)) * 7 + 12, 30, wide ? 190 : 96) : 14,
    label: (i) => i * row + 12,
    top: (i) => i * row + LABEL,
    bottom: (i) => i * row + LABEL + tall * set.points.length,
    line: (i, k) => i * row + LABEL + tall * (k + 0.5),
  };
}

/* kind: "overlap" or "delta". */
function manyRows(set, kind, names, layout, domain) {
  const intervals = [], medians = [], tags = [];
  names.forEach((n, i) => set.points.forEach((p, k) => {
    const v = p.variants[n.index];
    const y = layout.line(i, k);
    if (layout.labelled) tags.push({px: -6, y: y + 4, text: p.label, color: css("ink2"), weight: "normal"});
    const e = v && v[kind];
    if (!e) return;
    const style = look(v.means);
    const color = v.effect || style.color === css("ink") ? style.color : css("ink");
    intervals.push({x0: clamp(finite(e[1]) ? e[1] : domain[0], ...domain), x1: clamp(finite(e[2]) ? e[2] : domain[1], ...domain), y0: y, y1: y, color: color, w: Math.min(3, layout.tall)});
    medians.push({x: clamp(e[0], ...domain), y: y, row: i, color: color, shape: style.shape, tip: n.name + ", " + p.label + ": " + v.means +
      (kind === "overlap" ? "\noverlap " + interval(e) + ", " + v.reading : "\neffect on overlap " + interval(e))});
  }));
  return {intervals, medians, tags};
}

function manyChart(set, kind, names, wide, domain, under, axis) {
  const layout = manyLayout(set, names, wide);
  const rows = names.map((n) => ({name: n.name, outcome: ""}));
  const parts = manyRows(set, kind, names, layout, domain);
  return {
    height: layout.height, padding: {left: layout.left, right: 14, top: kind === "overlap" ? 24 : 8}, scales: [xScale(domain)],
    data: Object.assign(labelsOf(rows, layout), parts, {under: under(layout), bandNames: [], guides: names.map((_, i) => ({
      x0: kind === "overlap" ? 1 : 0, x1: kind === "overlap" ? 1 : 0, y0: layout.top(i), y1: layout.bottom(i), color: css("ink2"), w: 1}))}),
    axes: [xAxis(axis)],
    marks: [rectMark("under"), ruleMark("guides", {strokeDash: {value: [3, 3]}}), ...labelMarks(),
      textMark("bandNames", {x: at("x"), align: {value: "center"}, fontSize: {value: 11}}),
      textMark("tags", {align: {value: "right"}, fontSize: {value: 12}, limit: {value: layout.left - 8}}), ruleMark("intervals"),
      pickMark("pick-runs", "medians", "symbol", {size: {value: layout.tall > 8 ? 80 : 24}, stroke: {value: css("paper")}, strokeWidth: {value: layout.tall > 8 ? 1 : 0}})],
  };
}

function chartMany(figure, width) {
  const set = page.set;
  const names = set.names.map((name, index) => ({name, index})).filter((n) => set.points.some((p) => p.variants[n.index]));
  if (!names.length) return null;
  const domain = sweepDomain(set);
  const edges = [domain[0], set.low, set.high, domain[1]];
  setLegend(figure, [{mark: "median", text: "median of a run, 95 % interval"}, {mark: "dashed", text: "1: the shorter lane costs nothing"}]);
  const chart = manyChart(set, "overlap", names, width > 520, domain, (layout) => names.flatMap((_, i) =>
    ["serialises", "partial", "overlaps"].map((name, k) => ({x0: edges[k], x1: edges[k + 1], y0: layout.top(i), y1: layout.bottom(i), color: css("band-" + name)}))),
  "overlap");
  chart.data.bandNames = bandNames(set, domain, 1);
  return chart;
}

function chartManyEffects(figure, width) {
  const set = page.set;
  const names = set.names.map((name, index) => ({name, index}))
    .filter((n) => set.points.some((p) => p.variants[n.index] && p.variants[n.index].effect && p.variants[n.index].delta));
  if (!names.length) return null;
  const margin = set.margin;
  const all = set.points.flatMap((p) => names.flatMap((n) => (p.variants[n.index] && p.variants[n.index].delta || []).slice(0, 1)));
  const [low, high] = extent(all.concat([-margin * 1.8, margin * 1.8]));
  const domain = [clamp(low - 0.05, -2, 0), clamp(high + 0.05, 0, 2)];
  setLegend(figure, [{mark: "margin", text: "within the margin of " + ratio(margin)}, {mark: "median", text: "median of a run, 95 % interval"}]);
  return manyChart(set, "delta", names, width > 520, domain, (layout) => names.flatMap((_, i) => [
    {x0: domain[0], x1: domain[1], y0: layout.top(i), y1: layout.bottom(i), color: css("band-partial")},
    {x0: Math.max(-margin, domain[0]), x1: Math.min(margin, domain[1]), y0: layout.top(i), y1: layout.bottom(i), color: css("band-margin")}]),
  "overlap added (+) or removed (−)");
}
