/* Charts with a row a variant: its name and outcome above, a strip below. */

const LABEL = 17; /* pixels of a row's text */
const STRIP = 26;
const GAP = 15;

function rowsOf(count, strip) {
  const tall = strip || STRIP;
  return {
    height: count * (LABEL + tall + GAP) - GAP + 4,
    label: (i) => i * (LABEL + tall + GAP) + 12,
    top: (i) => i * (LABEL + tall + GAP) + LABEL,
    middle: (i) => i * (LABEL + tall + GAP) + LABEL + tall / 2,
    bottom: (i) => i * (LABEL + tall + GAP) + LABEL + tall,
  };
}

const xScale = (domain, type) => ({name: "x", type: type || "linear", domain: domain, range: "width", zero: false, nice: false});
const at = (field) => ({scale: "x", field: field});
const f = (field) => ({field: field});
const xAxis = (title, more) => Object.assign(
  {orient: "bottom", scale: "x", title: title, tickCount: {signal: "width < 420 ? 4 : width < 640 ? 6 : 10"}, grid: false, offset: 2}, more);

function textMark(data, more) {
  return {type: "text", from: {data: data}, aria: false, interactive: false, encode: {update: Object.assign({
    x: f("px"), y: f("y"), text: f("text"), fill: f("color"), fontWeight: f("weight"), fontSize: {value: 13},
  }, more)}};
}

/* Names at the left, outcomes at the right, each within its half. */
function labelMarks() {
  return [
    textMark("names", {limit: {signal: "width * 0.5"}}),
    textMark("outcomes", {x: {signal: "width"}, align: {value: "right"}, limit: {signal: "width * 0.56"}}),
  ];
}

function labelsOf(rows, layout) {
  return {
    names: rows.map((r, i) => ({px: 0, y: layout.label(i), text: r.name, color: css("ink"), weight: "bold"})),
    outcomes: rows.map((r, i) => ({y: layout.label(i), text: r.outcome || "", color: r.color || css("ink2"),
      weight: r.loud ? "bold" : "normal"})),
  };
}

function rectMark(data, more) {
  return {type: "rect", name: "see-" + data, from: {data: data}, aria: false, interactive: false, encode: {update: Object.assign({
    x: at("x0"), x2: at("x1"), y: f("y0"), y2: f("y1"), fill: f("color")}, more)}};
}

function ruleMark(data, more) {
  return {type: "rule", name: "see-" + data, from: {data: data}, aria: false, interactive: false, encode: {update: Object.assign({
    x: at("x0"), x2: at("x1"), y: f("y0"), y2: f("y1"), stroke: f("color"), strokeWidth: f("w")}, more)}};
}

function pickMark(name, data, type, more) {
  return {type: type, name: name, from: {data: data}, aria: false, encode: {update: Object.assign(
    type === "rect" ? {x: at("x0"), x2: at("x1"), y: f("y0"), y2: f("y1"), fill: f("color"), tooltip: f("tip")}
      : {x: at("x"), y: f("y"), fill: f("color"), size: {value: 90}, shape: f("shape"), tooltip: f("tip")}, more)}};
}

/* ---- overlap ---- */

/* Far values are drawn at the edge, and counted. */
function overlapDomain(rows) {
  const all = [];
  for (const r of rows) for (const p of r.points) if (p) all.push(...p);
  for (const r of rows) all.push(r.v.seen, ...(r.v.overlap || []));
  const [low, high] = extent(all);
  return [clamp(Math.min(low - 0.04, -0.06), -0.6, 0), clamp(Math.max(high + 0.04, 1.06), 1, 1.6)];
}

function bandsOf(rows, record, domain, layout) {
  const bands = [];
  rows.forEach((r, i) => {
    const best = finite(r.v.best) && r.v.best > 0 ? r.v.best : 1;
    const edges = [domain[0], record.low * best, record.high * best, domain[1]];
    ["serialises", "partial", "overlaps"].forEach((name, k) => bands.push({
      x0: edges[k], x1: edges[k + 1], y0: layout.top(i), y1: layout.bottom(i), color: css("band-" + name)}));
  });
  return bands;
}

function bandNames(record, domain, best) {
  const edges = [domain[0], record.low * best, record.high * best, domain[1]];
  return ["serialises", "partial", "overlaps"].map((text, k) => ({
    x: (edges[k] + edges[k + 1]) / 2, y: -8, text: text, color: css("ink2"), weight: "normal"}));
}

function variantRows(record, keep) {
  return record.shown.map((i) => ({v: record.variants[i], points: record.rounds.overlap[i]})).filter(keep || (() => true));
}

function chartOverlap(figure, width, record) {
  const rows = variantRows(record);
  const layout = rowsOf(rows.length);
  const domain = overlapDomain(rows);
  const per = record.rounds.per;
  const dots = [], whiskers = [], intervals = [], medians = [], seen = [], best = [];
  let beyond = 0;
  rows.forEach((r, i) => {
    const style = look(r.v.means);
    Object.assign(r, {name: r.v.name, color: style.color, loud: style.color !== css("ink"),
      outcome: (r.v.means === "-" ? r.v.reading : r.v.means) + "  " + (width < 480 && r.v.overlap
        ? ratio(r.v.overlap[0]) : interval(r.v.overlap))});
    r.points.forEach((p, k) => {
      if (!p) return;
      if (p[0] < domain[0] || p[0] > domain[1]) beyond++;
      const y = layout.middle(i) + ((k * 0.618034) % 1 - 0.5) * (STRIP - 8);
      dots.push({x: clamp(p[0], domain[0], domain[1]), y: y, row: i, color: style.color, tip: r.v.name + "\n" +
        (per > 1 ? "median of " + per + " rounds from " : "round ") + record.rounds.number[k] + ": overlap " + ratio(p[0], 3)});
    });
    if (finite(r.v.best)) best.push({x0: r.v.best, x1: r.v.best, y0: layout.top(i), y1: layout.bottom(i), color: css("ink2"), w: 1});
    if (r.v.overlap) {
      const [m, low, high] = r.v.overlap;
      intervals.push({x0: clamp(finite(low) ? low : domain[0], ...domain), x1: clamp(finite(high) ? high : domain[1], ...domain),
        y0: layout.middle(i), y1: layout.middle(i), color: css("ink"), w: 2.5});
      medians.push({x: clamp(m, ...domain), y: layout.middle(i), row: i, color: style.color, shape: style.shape,
        tip: r.v.name + ": " + r.v.reading + "\noverlap " + interval(r.v.overlap) + ", by the host's clock"});
    }
    if (finite(r.v.seen)) seen.push({x: clamp(r.v.seen, ...domain), y: layout.bottom(i) + 5, row: i, color: css("seen"),
      shape: "triangle-up", tip: r.v.name + "\nits own timestamps say " + ratio(r.v.seen) +
        (r.v.overlap ? "\nthe host's clock says " + ratio(r.v.overlap[0]) : "")});
  });
  const common = rows.length && finite(rows[0].v.best) ? rows[0].v.best : 1;
  setLegend(figure, [
    {mark: "dot", text: per > 1 ? "the median of " + per + " rounds in a row" : "a round"},
    {mark: "median", text: "median, 95 % interval"},
    ...(seen.length ? [{mark: "seen", text: "what the instrument's own timestamps say"}] : []),
    {mark: "dashed", text: "the best possible"},
  ]);
  return {
    height: layout.height, padding: {top: 24}, scales: [xScale(domain)],
    said: beyond ? beyond + " points lie beyond the edge and are drawn at it." : "",
    data: Object.assign(labelsOf(rows, layout), {bands: bandsOf(rows, record, domain, layout),
      bandNames: common > 0.05 ? bandNames(record, domain, common) : [], dots, whiskers, intervals, medians, seen, best}),
    axes: [xAxis("overlap")],
    marks: [
      rectMark("bands"), textMark("bandNames", {x: at("x"), align: {value: "center"}, fontSize: {value: 11}}),
      ruleMark("best", {strokeDash: {value: [3, 3]}}), ...labelMarks(),
      pickMark("pick-rounds", "dots", "symbol", {size: {value: 22}, shape: {value: "circle"}, fillOpacity: {value: 0.45}}),
      ruleMark("intervals"),
      pickMark("pick-medians", "medians", "symbol", {size: {value: 130}, stroke: {value: css("paper")}, strokeWidth: {value: 1.5}}),
      pickMark("pick-seen", "seen", "symbol", {size: {value: 80}, fill: {value: css("paper")}, stroke: f("color"), strokeWidth: {value: 2}}),
    ],
  };
}

/* ---- the number of a metric experiment ---- */

const short = (x) => (finite(x) ? (Math.abs(x) >= 1000 ? x.toFixed(0) : String(Number(x.toPrecision(4)))) : "?");

/* Where nearly all of the points lie: what is beyond is drawn at the edge, and counted. Numbers are above 0. */
function valueDomain(rows) {
  const all = rows.flatMap((r) => r.points.filter(Boolean).map((p) => p[0])).filter(finite).sort((a, b) => a - b);
  if (!all.length) return [0, 1];
  const low = all[Math.floor(all.length * 0.03)], high = all[Math.ceil(all.length * 0.95) - 1];
  const edge = Math.max((high - low) * 0.15, Math.abs(high) * 0.01, 1e-12);
  const medians = rows.flatMap((r) => (r.v.value ? [r.v.value[0]] : []));
  return [Math.max(0, Math.min(low, ...medians) - edge), Math.max(high, ...medians) + edge];
}

function chartValues(figure, width, record) {
  const rows = variantRows(record);
  const layout = rowsOf(rows.length);
  const domain = valueDomain(rows);
  const per = record.rounds.per;
  const strips = [], dots = [], intervals = [], medians = [];
  let beyond = 0;
  rows.forEach((r, i) => {
    const style = look(r.v.means);
    Object.assign(r, {name: r.v.name, color: style.color, loud: style.color !== css("ink"),
      outcome: r.v.means + "  " + (r.v.value ? short(r.v.value[0]) : "?")});
    strips.push({x0: domain[0], x1: domain[1], y0: layout.top(i), y1: layout.bottom(i), color: css("band-partial")});
    r.points.forEach((p, k) => {
      if (!p) return;
      if (p[0] < domain[0] || p[0] > domain[1]) beyond++;
      dots.push({x: clamp(p[0], ...domain), y: layout.middle(i) + ((k * 0.618034) % 1 - 0.5) * (STRIP - 8), row: i, color: style.color,
        tip: r.v.name + "\n" + (per > 1 ? "median of " + per + " rounds from " : "round ") + record.rounds.number[k] + ": " + short(p[0])});
    });
    if (!r.v.value) return;
    const [m, low, high] = r.v.value;
    intervals.push({x0: clamp(finite(low) ? low : domain[0], ...domain), x1: clamp(finite(high) ? high : domain[1], ...domain),
      y0: layout.middle(i), y1: layout.middle(i), color: css("ink"), w: 2.5});
    medians.push({x: m, y: layout.middle(i), row: i, color: style.color, shape: style.shape,
      tip: r.v.name + ": " + r.v.means + "\n" + record.metric.label + " " + short(m) + " [" + short(low) + ", " + short(high) + "]"});
  });
  setLegend(figure, [{mark: "dot", text: per > 1 ? "the median of " + per + " rounds in a row" : "a round"}, {mark: "median", text: "median, 95 % interval"}]);
  return {
    height: layout.height, scales: [xScale(domain)], said: beyond ? beyond + " points lie beyond the edge and are drawn at it." : "",
    data: Object.assign(labelsOf(rows, layout), {strips, dots, intervals, medians}),
    axes: [xAxis(record.metric.label + ", " + record.metric.better + " is better")],
    marks: [rectMark("strips"), ...labelMarks(),
      pickMark("pick-rounds", "dots", "symbol", {size: {value: 22}, shape: {value: "circle"}, fillOpacity: {value: 0.45}}), ruleMark("intervals"),
      pickMark("pick-medians", "medians", "symbol", {size: {value: 130}, stroke: {value: css("paper")}, strokeWidth: {value: 1.5}})],
  };
}

/* ---- effect of each instrument against the margin ---- */

function chartEffect(figure, width, record) {
  const rows = variantRows(record, (r) => r.v.effect && r.v.delta);
  if (!rows.length) return null;
  const layout = rowsOf(rows.length, 20);
  const margin = record.margin;
  const of = record.metric ? (e) => interval(e, 100, 1) + " %" : (e) => interval(e);
  const one = record.metric ? (x) => ratio(100 * x, 1) + " %" : (x) => ratio(x);
  let [low, high] = extent(rows.flatMap((r) => r.v.delta).concat([-margin * 1.8, margin * 1.8]));
  const edge = record.metric ? (high - low) * 0.04 : 0.05;
  low = clamp(low - edge, -2, 0);
  high = clamp(high + edge, 0, record.metric ? 10 : 2);
  const band = [], zero = [], intervals = [], medians = [];
  rows.forEach((r, i) => {
    const style = look(r.v.means);
    Object.assign(r, {name: r.v.name, outcome: r.v.effect + "  " + (width < 480 ? one(r.v.delta[0]) : of(r.v.delta)),
      color: style.color, loud: true});
    band.push({x0: Math.max(-margin, low), x1: Math.min(margin, high), y0: layout.top(i), y1: layout.bottom(i), color: css("band-margin")});
    zero.push({x0: 0, x1: 0, y0: layout.top(i), y1: layout.bottom(i), color: css("line"), w: 1});
    intervals.push({x0: clamp(finite(r.v.delta[1]) ? r.v.delta[1] : low, low, high),
      x1: clamp(finite(r.v.delta[2]) ? r.v.delta[2] : high, low, high),
      y0: layout.middle(i), y1: layout.middle(i), color: style.color, w: 3});
    medians.push({x: clamp(r.v.delta[0], low, high), y: layout.middle(i), row: i, color: style.color, shape: style.shape,
      tip: r.v.name + ": " + r.v.effect + "\n" + (record.metric ? "worse by " : "effect on overlap ") + of(r.v.delta) + "\nmargin " + one(margin)});
  });
  setLegend(figure, [{mark: "margin", text: "within the margin of " + one(margin)}, {mark: "median", text: "median, 95 % interval"}]);
  return {
    height: layout.height, scales: [xScale([low, high])],
    data: Object.assign(labelsOf(rows, layout), {band, zero, intervals, medians}),
    axes: [record.metric ? xAxis("worse (+) or better (−) than the control", {format: "+.0%"}) : xAxis("overlap added (+) or removed (−)")],
    marks: [rectMark("band"), ruleMark("zero"), ...labelMarks(), ruleMark("intervals"),
      pickMark("pick-effects", "medians", "symbol", {size: {value: 120}, stroke: {value: css("paper")}, strokeWidth: {value: 1.5}})],
  };
}

/* ---- times ---- */

function timeBars(rows, layout, high, width) {
  const base = [], exposed = [], alone = [];
  rows.forEach((r, i) => {
    const v = r.v;
    const part = finite(v.exposed) ? clamp(v.exposed, 0, v.ab) : 0;
    r.outcome = width < 480 ? ms(v.ab) : ms(v.ab) + ", exposed " + ms(v.exposed);
    const words = r.name + "\nA " + ms(v.a) + ", B " + ms(v.b) + "\nAB " + ms(v.ab) + ", exposed " + ms(v.exposed);
    base.push({x0: 0, x1: v.ab - part, y0: layout.top(i), y1: layout.bottom(i), color: css("bar"), row: i, tip: words});
    exposed.push({x0: v.ab - part, x1: v.ab, y0: layout.top(i), y1: layout.bottom(i), color: css("exposed"), row: i, tip: words});
    if (finite(v.a)) alone.push({x0: v.a, x1: v.a, y0: layout.top(i) - 3, y1: layout.middle(i), color: css("lane-a"), w: 3});
    if (finite(v.b)) alone.push({x0: v.b, x1: v.b, y0: layout.middle(i), y1: layout.bottom(i) + 3, color: css("lane-b"), w: 3});
  });
  return {
    height: layout.height, scales: [xScale([0, high])],
    data: Object.assign(labelsOf(rows, layout), {base, exposed, alone}),
    axes: [xAxis("ms a step")],
    marks: [pickMark("pick-ab", "base", "rect"), pickMark("pick-exposed", "exposed", "rect"), ruleMark("alone"), ...labelMarks()],
  };
}

const timeLegend = [
  {mark: "square", color: css("bar"), text: "AB, as long as the longer lane"},
  {mark: "square", color: css("exposed"), text: "its exposed part"},
  {mark: "tick", color: css("lane-a"), text: "A alone"},
  {mark: "tick", color: css("lane-b"), text: "B alone"},
];

function chartTimes(figure, width, record) {
  const rows = variantRows(record, (r) => finite(r.v.ab));
  if (!rows.length) return null;
  rows.forEach((r) => { r.name = r.v.name; });
  setLegend(figure, timeLegend);
  return timeBars(rows, rowsOf(rows.length, 18), 1.04 * extent(rows.flatMap((r) => [r.v.ab, r.v.a, r.v.b]))[1], width);
}

/* ---- slowdown ---- */

function chartSlowdown(figure, width, record) {
  const rows = variantRows(record, (r) => record.variants.indexOf(r.v) > 0 && r.v.slowdown.some(Boolean));
  if (!rows.length) return null;
  const layout = rowsOf(rows.length, 34);
  const cells = ["A", "B", "AB"];
  const colors = [css("lane-a"), css("lane-b"), css("ink")];
  const shapes = ["circle", "square", "diamond"];
  let [low, high] = extent(rows.flatMap((r) => r.v.slowdown.flatMap((e) => e || [])).concat([0.95, 1.05]));
  const span = high - low;
  low = Math.max(0, low - span * 0.04);
  high += span * 0.04;
  const one = [], intervals = [], medians = [], strips = [];
  rows.forEach((r, i) => {
    r.name = r.v.name;
    r.outcome = r.v.slowdown[2] ? "AB × " + ratio(r.v.slowdown[2][0]) : "";
    strips.push({x0: low, x1: high, y0: layout.top(i), y1: layout.bottom(i), color: css("band-partial")});
    one.push({x0: 1, x1: 1, y0: layout.top(i), y1: layout.bottom(i), color: css("ink2"), w: 1});
    r.v.slowdown.forEach((e, k) => {
      if (!e) return;
      const y = layout.top(i) + 6 + k * 11;
      intervals.push({x0: finite(e[1]) ? e[1] : low, x1: finite(e[2]) ? e[2] : high, y0: y, y1: y, color: colors[k], w: 2.5});
      medians.push({x: e[0], y: y, row: i, color: colors[k], shape: shapes[k],
        tip: r.v.name + "\n" + cells[k] + " takes " + interval(e) + " times the control's"});
    });
  });
  setLegend(figure, cells.map((text, k) => ({mark: shapes[k], color: colors[k], text: text})));
  return {
    height: layout.height, scales: [xScale([low, high])],
    data: Object.assign(labelsOf(rows, layout), {strips, one, intervals, medians}),
    axes: [xAxis("times the control's wall")],
    marks: [rectMark("strips"), ruleMark("one", {strokeDash: {value: [3, 3]}}), ...labelMarks(), ruleMark("intervals"),
      pickMark("pick-slowdowns", "medians", "symbol", {size: {value: 60}, stroke: {value: css("paper")}, strokeWidth: {value: 1}})],
  };
}

/* ---- two designs ---- */

function chartAgainst(figure, width, record) {
  const against = record.against;
  if (!against) return null;
  const rows = [{v: record.variants[0], name: "first: " + against.first},
    {v: record.variants[against.variant], name: "second: " + against.second}];
  setLegend(figure, timeLegend);
  return timeBars(rows, rowsOf(2), 1.04 * extent(rows.flatMap((r) => [r.v.ab, r.v.a, r.v.b]))[1], width);
}
