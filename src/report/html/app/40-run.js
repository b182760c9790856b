/* What happened when: overlap by round, the order of the cells, the device's tracks. */

/* ---- overlap by round ---- */

function chartRounds(figure, width, record) {
  const rows = variantRows(record);
  const strip = 40;
  const layout = rowsOf(rows.length, strip);
  const rounds = record.rounds;
  if (!rounds.number.length) return null;
  const metric = record.metric;
  const domain = metric ? valueDomain(rows) : overlapDomain(rows);
  const number = metric ? short : (o) => ratio(o, 3);
  const up = (i, o) => layout.bottom(i) - (clamp(o, ...domain) - domain[0]) / (domain[1] - domain[0]) * strip;
  const first = rounds.number[0], last = rounds.number[rounds.number.length - 1];
  const bands = [], guides = [], ticks = [], ranges = [], dots = [], breaks = [], marked = [];
  rows.forEach((r, i) => {
    const style = look(r.v.means);
    r.name = r.v.name;
    const middle = metric ? r.v.value : r.v.overlap;
    r.outcome = middle ? "median " + (metric ? short(middle[0]) : ratio(middle[0])) : "";
    const best = finite(r.v.best) && r.v.best > 0 ? r.v.best : 1;
    const edges = [domain[0], record.low * best, record.high * best, domain[1]];
    if (metric) bands.push({x0: first - 0.5, x1: last + 0.5, y0: layout.top(i), y1: layout.bottom(i), color: css("band-partial")});
    else ["serialises", "partial", "overlaps"].forEach((name, k) => bands.push({x0: first - 0.5, x1: last + 0.5,
      y0: up(i, edges[k + 1]), y1: up(i, edges[k]), color: css("band-" + name)}));
    (metric ? domain : [0, 1]).forEach((o, k) => ticks.push({px: -5, y: up(i, o) + (metric ? (k ? 9 : 0) : 4), text: metric ? short(o) : String(o),
      color: css("ink2"), weight: "normal"}));
    if (middle) guides.push({x0: first - 0.5, x1: last + 0.5, y0: up(i, middle[0]), y1: up(i, middle[0]), color: style.color, w: 1});
    r.points.forEach((p, k) => {
      if (!p) return;
      const x = rounds.number[k];
      if (p.length > 1) ranges.push({x0: x, x1: x, y0: up(i, p[1]), y1: up(i, p[2]), color: style.color, w: 1});
      dots.push({x: x, y: up(i, p[0]), row: i, color: style.color, tip: r.v.name + "\n" + (rounds.per > 1
        ? rounds.per + " rounds from " + x + ": " + number(p[0]) + ", " + number(p[1]) + " to " + number(p[2])
        : "round " + x + ": " + (metric ? "" : "overlap ") + number(p[0]))});
    });
  });
  rounds.number.forEach((number, k) => {
    if (k && rounds.process[k] !== rounds.process[k - 1])
      breaks.push({x0: number - 0.5, x1: number - 0.5, y0: 0, y1: layout.height, color: css("ink2"), w: 1});
    if (rounds.marks[k]) marked.push({x: number, y: layout.height + 1, color: css("open"), shape: "triangle-up"});
  });
  setLegend(figure, [
    {mark: "dot", text: rounds.per > 1 ? "median of " + rounds.per + " rounds" : "a round"},
    {mark: "line", text: "median of all"},
    ...(breaks.length ? [{mark: "dashed", text: "resumed in another process"}] : []),
    ...(marked.length ? [{mark: "triangle-up", color: css("open"), text: "throttled, or the device was shared"}] : []),
  ]);
  return {
    height: layout.height, padding: {left: metric ? 52 : 26, right: 10}, scales: [xScale([first - 0.5, last + 0.5])],
    data: Object.assign(labelsOf(rows, layout), {bands, guides, ticks, ranges, dots, breaks, marked}),
    axes: [xAxis("round", {format: "d", tickMinStep: 1})],
    marks: [rectMark("bands"), ruleMark("guides", {strokeOpacity: {value: 0.6}}), ruleMark("breaks", {strokeDash: {value: [4, 4]}}),
      textMark("ticks", {align: {value: "right"}, fontSize: {value: 11}}), ...labelMarks(),
      ruleMark("ranges", {strokeOpacity: {value: 0.5}}),
      pickMark("pick-rounds", "dots", "symbol", {size: {value: 20}, shape: {value: "circle"}}),
      {type: "symbol", from: {data: "marked"}, aria: false, encode: {update: {x: at("x"), y: f("y"), shape: f("shape"), fill: f("color"), size: {value: 24}}}}],
  };
}

/* ---- the order of the run ---- */

function chartOrder(figure, width, record) {
  const rounds = record.order;
  const most = Math.max(0, ...rounds.map((r) => r.length / 2));
  if (!most) return null;
  const tall = most > 24 ? 8 : 13;
  const fields = [];
  const cells = ["A", "B", "AB"];
  const place = new Map(record.shown.map((v, i) => [v, i]));
  rounds.forEach((list, i) => {
    for (let k = 0; k < list.length; k += 2) {
      const variant = Math.floor(list[k] / 3), cell = list[k] % 3;
      const row = k / 2;
      fields.push({x0: i + 0.5, x1: i + 1.5, y0: row * tall, y1: row * tall + tall - 1, row: i, v: place.get(variant),
        color: seriesColor(place.get(variant)), o: [0.5, 0.72, 1][cell], tip: "round " + record.rounds.number[0] + " + " + i
          + ", place " + (row + 1) + "\n" + record.variants[variant].name + (record.metric ? ": " + short(list[k + 1]) : " " + cells[cell] + ": " + ms(list[k + 1]))});
    }
  });
  fields.forEach((field) => { field.tip = field.tip.replace(/^round (\d+) \+ (\d+)/, (all, a, b) => "round " + (Number(a) + Number(b))); });
  setSwitches(figure, record.shown.map((v) => record.variants[v].name));
  return {
    height: most * tall, padding: {left: 26, right: 10}, scales: [xScale([0.5, rounds.length + 0.5])],
    signals: [{name: "on", value: figure.on === undefined ? -1 : figure.on}],
    data: {fields, ticks: [{px: -5, y: tall - 2, text: "1", color: css("ink2"), weight: "normal"},
      {px: -5, y: most * tall - 2, text: String(most), color: css("ink2"), weight: "normal"}]},
    axes: [xAxis("round; from top to bottom in the order in which it ran", {format: "d", tickMinStep: 1})],
    said: (record.metric ? "" : "Light: A alone; middle: B alone; full: both. ") + "Choose a variant above to see where it ran.",
    marks: [textMark("ticks", {align: {value: "right"}, fontSize: {value: 11}}),
      pickMark("pick-cells", "fields", "rect", {stroke: {value: css("paper")}, strokeWidth: {value: 0.6},
        fillOpacity: [{test: "on >= 0 && datum.v !== on", value: 0.08}, {field: "o"}]})],
  };
}

/* ---- timelines ---- */

const SPAN = {variant: 0, begin: 1, end: 2, queued: 3, engine: 4, stream: 5, lane: 6, index: 7, what: 8, waited: 9, instrumented: 10, id: 11, waitsFor: 12};

/* Engines as tracks; one that runs two commands at a time has a track a stream. */
function tracksOf(spans) {
  const engines = new Map();
  for (const s of spans) {
    if (!engines.has(s[SPAN.engine])) engines.set(s[SPAN.engine], []);
    engines.get(s[SPAN.engine]).push(s);
  }
  const tracks = [];
  for (const [engine, list] of Array.from(engines).sort((a, b) => (a[0] < b[0] ? -1 : 1))) {
    list.sort((a, b) => a[SPAN.begin] - b[SPAN.begin]);
    const apart = list.every((s, i) => !i || s[SPAN.begin] >= list[i - 1][SPAN.end] - 1e-9);
    if (apart) {
      tracks.push({name: engine, spans: list});
      continue;
    }
    for (const stream of new Set(list.map((s) => s[SPAN.stream])))
      tracks.push({name: engine + ", stream " + stream, spans: list.filter((s) => s[SPAN.stream] === stream)});
  }
  return tracks;
}

function spanLook(s) {
  if (/^record/.test(s[SPAN.what])) return {color: css("record"), kind: "record"};
  if (/^(hold|wait)/.test(s[SPAN.what])) return {color: css("hold"), kind: "hold"};
  if (s[SPAN.lane] < 0) return {color: css("bar"), kind: "other"};
  return {color: css(s[SPAN.lane] === 0 ? "lane-a" : "lane-b"), kind: "work"};
}

/* "h2d a[3]", "record before b[0]". */
const spanName = (s) => s[SPAN.what] + (s[SPAN.lane] >= 0 && s[SPAN.index] >= 0 ? " " + "ab"[s[SPAN.lane]] + "[" + s[SPAN.index] + "]" : "");

/* The two that are put side by side: the control, and what changed most. */
function chooseTwo(record, there) {
  const worst = there.filter((i) => i !== there[0]).sort((a, b) => {
    const d = (i) => (record.variants[i].role === "instrument" && record.variants[i].delta ? Math.abs(record.variants[i].delta[0]) : -1);
    return d(b) - d(a);
  });
  return worst.length ? [there[0], worst[0]] : [there[0]];
}

function addChoice(figure, record, there) {
  const legend = figure.querySelector(".legend");
  if (!legend || legend.childElementCount) return;
  figure.pair = chooseTwo(record, there);
  if (there.length > 2) figure.pair.forEach((chosen, k) => {
    const select = element("select");
    select.setAttribute("aria-label", k ? "lower variant" : "upper variant");
    there.forEach((i) => {
      const option = element("option", "", record.variants[i].name);
      option.value = String(i);
      option.selected = i === chosen;
      select.append(option);
    });
    select.addEventListener("change", () => {
      figure.pair[k] = Number(select.value);
      if (figure.redraw) figure.redraw();
    });
    legend.append(select);
  });
  for (const [mark, color, text] of [["square", "lane-a", "lane a"], ["square", "lane-b", "lane b"],
    ["square", "record", "record of an instrument"], ["line", "record", "released by"], ["waits", "hold", "the next one is there and waits"]]) {
    const part = element("span", "key");
    const sign = element("i", "mark " + mark);
    sign.style.setProperty("--c", css(color));
    part.append(sign, text);
    legend.append(part);
  }
}

/* One track: its commands, where the next one is there and waits, and what released it on another track. */
function addTrack(parts, v, track, y, tall, last, row, where) {
  let busyUntil = 0;
  for (const s of track.spans) {
    const style = spanLook(s);
    const work = style.kind === "work" || style.kind === "other";
    const from = finite(s[SPAN.queued]) ? Math.max(s[SPAN.queued], busyUntil) : s[SPAN.begin];
    const waited = s[SPAN.begin] - from > last * 2e-4;
    const words = v.name + ", " + track.name + "\n" + spanName(s) + ": " + ms(s[SPAN.begin]) + " to " + ms(s[SPAN.end]) +
      (finite(s[SPAN.queued]) ? "\nthere since " + ms(s[SPAN.queued]) : "") + (s[SPAN.waited] ? "\nwaited for " + s[SPAN.waited] : "") +
      (s[SPAN.instrumented] ? "\ninstrumented: not the verdict" : "");
    if (waited) parts.waits.push({x0: from, x1: s[SPAN.begin], y0: y + tall / 2, y1: y + tall / 2, color: css("hold"), w: 2});
    parts.works.push({x0: s[SPAN.begin], x1: s[SPAN.end], y0: work ? y + 3 : y, y1: work ? y + tall - 3 : y + tall,
      color: style.color, edge: work ? css("paper") : style.color, row: row, tip: words});
    busyUntil = Math.max(busyUntil, s[SPAN.end]);
    where.set(s[SPAN.id], {s: s, y: y + tall / 2, track: track});
  }
}

function addFlows(parts, where) {
  for (const [, to] of where) {
    const from = where.get(to.s[SPAN.waitsFor]);
    if (!to.s[SPAN.waitsFor] || !from || from.track === to.track) continue;
    parts.flows.push({x0: from.s[SPAN.end], x1: to.s[SPAN.begin], y0: from.y, y1: to.y, color: css("record"), w: 1.2});
  }
}

function chartTimeline(figure, width, record) {
  const there = record.shown.filter((i) => record.spans.some((s) => s[SPAN.variant] === i));
  if (!there.length) return null;
  addChoice(figure, record, there);
  const last = Math.max(...record.spans.filter((s) => figure.pair.includes(s[SPAN.variant])).map((s) => s[SPAN.end]), 1e-9);
  const tall = 24, gap = 8, head = 24;
  const heads = [], names = [], beds = [];
  const parts = {works: [], waits: [], flows: []};
  let y = 0, row = 0, longest = 0;
  for (const variant of figure.pair) {
    const v = record.variants[variant];
    const spans = record.spans.filter((s) => s[SPAN.variant] === variant);
    const instrumented = spans.some((s) => s[SPAN.instrumented]);
    const where = new Map();
    heads.push({px: 0, y: y + 14, text: v.name + (v.means === "-" ? "" : ": " + v.means) + (instrumented ? " (instrumented: not the verdict)" : ""),
      color: look(v.means).color, weight: "bold"});
    y += head;
    for (const track of tracksOf(spans)) {
      longest = Math.max(longest, track.name.length);
      names.push({px: -6, y: y + 16, text: track.name, color: css("ink2"), weight: "normal"});
      beds.push({x0: 0, x1: last, y0: y, y1: y + tall, color: css("band-partial")});
      addTrack(parts, v, track, y, tall, last, row++, where);
      y += tall + gap;
    }
    addFlows(parts, where);
    y += 8;
  }
  const left = clamp(longest * 7 + 12, 40, width * 0.3);
  return {
    height: y, padding: {left: left, right: 12}, scales: [xScale([0, last])],
    data: Object.assign({heads, names, beds}, parts),
    axes: [xAxis("ms since the step began")],
    marks: [rectMark("beds"), textMark("heads", {limit: {signal: "width"}}),
      textMark("names", {align: {value: "right"}, fontSize: {value: 12}, limit: {value: left - 8}}),
      ruleMark("waits", {strokeDash: {value: [2, 3]}}),
      pickMark("pick-spans", "works", "rect", {stroke: f("edge"), strokeWidth: {value: 0.8}}),
      ruleMark("flows", {strokeOpacity: {value: 0.75}})],
  };
}
