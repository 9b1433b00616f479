// SPDX-License-Identifier: BSD-3-Clause
// Draws the views that the page's JSON holds, and answers to pointer, keys and controls.
"use strict";
(() => {

const byId = (id) => document.getElementById(id);
const root = document.documentElement;
const json = JSON.parse(byId("json").textContent);
const kSvg = "http://www.w3.org/2000/svg";
const kTop = 26;  // above the rows, for the axis
const kFewArrows = 300;

// ---------------------------------------------------------------------------------------------
// Elements.

function html(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {}))
    if (key === "onclick") made.addEventListener("click", value);
    else made.setAttribute(key, value);
  made.append(...children.filter((child) => child !== null));
  return made;
}

function shape(parent, name, attributes, text) {
  const made = document.createElementNS(kSvg, name);
  for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  parent.append(made);
  return made;
}

const widthOf = (text, size = 11) => text.length * size * 0.58;
const tenth = (number) => Math.round(number * 10) / 10;

/// "240.7 ns", as the command prints times.
function timeText(ns) {
  for (const [size, unit] of [[1e9, "s"], [1e6, "ms"], [1e3, "us"]])
    if (Math.abs(ns) >= size) return Number((ns / size).toPrecision(4)) + " " + unit;
  return Number(ns.toPrecision(4)) + " ns";
}

function bytesText(bytes) {
  for (const [size, unit] of [[1 << 20, "MiB"], [1 << 10, "KiB"]])
    if (bytes >= size) return Number((bytes / size).toPrecision(4)) + " " + unit;
  return bytes + " B";
}

// ---------------------------------------------------------------------------------------------
// Views: plans and timelines in one form.

const kWords = {
  expose: "shows its buffers", reduce: "combines", copy: "copies", deliver: "puts in place",
  hold: "holds its buffers", send: "sends a message", receive: "takes a message",
  call: "is in a collective", wait: "waits", publish: "tells others how far it is",
  network: "sends or receives between nodes", fallback: "is in a call that the MPI makes",
  started: "has started a call",
  look: "looks at what is there already"
};
const kShort = {
  enter: "enters", look: "looks", signal: "signal", message: "message", work: "works",
  publish: "tells", leave: "returns"
};
const kParts = {
  enter: "enters the call", look: "looks at what is there", signal: "signal under way",
  message: "message under way", work: "works", publish: "tells others", leave: "returns"
};

function viewOfPlan(seen, index) {
  const rows = seen.order.map((rank) => ({rank, name: String(rank), title: "rank " + rank}));
  const rowOf = new Map(rows.map((row, i) => [row.rank, i]));
  const counts = new Map();
  for (const form of seen.forms) counts.set(form.rank, (counts.get(form.rank) || 0) + 1);
  const firstOf = new Map();
  const steps = seen.steps.map((step, id) => {
    const form = seen.forms[step.form];
    if (!firstOf.has(step.form)) firstOf.set(step.form, id);
    const [wait, begin, end, told] = step.times || [];
    return {
      id, form, formIndex: step.form, strip: step.strip, rank: form.rank, row: rowOf.get(form.rank),
      kind: form.kind, label: form.label, round: form.round, count: counts.get(form.rank),
      isFirst: firstOf.get(step.form) === id, bytes: step.bytes,
      times: step.times ? {wait, begin, end, told} : null,
      cause: step.cause === undefined || step.cause < 0 ? null : step.cause,
      byMessage: step.by_message,
      needs: form.needs.map((need, i) => ({...need, step: step.needs[i]}))
        .filter((need) => need.step >= 0)
    };
  });
  const own = new Map(rows.map((row) => [row.rank, []]));
  for (const step of steps) own.get(step.rank).push(step);
  const strips = steps.reduce((most, step) => Math.max(most, step.strip), 0) + 1;
  return {seen, index, isPlan: true, hasTimes: seen.duration !== null, rows, rowOf, steps, own,
          strips, firstOf, duration: seen.duration, rounds: seen.rounds};
}

// Rows of calls that are started take the numbers of threads from this one on.
const kFirstTrack = 500;

function viewOfTimeline(seen, index) {
  const rows = seen.rows.map((row) => ({
    rank: row.rank, title: row.name,
    name: row.thread >= kFirstTrack ? row.rank + "s" + (row.thread - kFirstTrack + 1)
      : row.thread ? row.rank + "." + row.thread : String(row.rank)
  }));
  const rowOf = new Map();
  seen.rows.forEach((row, i) => { if (row.thread === 0) rowOf.set(row.rank, i); });
  const steps = seen.steps.map((event, id) => {
    const [from, to] = event.times, kind = event.kind;
    const begin = kind === "wait" ? to : from, end = kind === "publish" ? from : to;
    return {
      id, rank: rows[event.row].rank, row: event.row, kind, label: event.label || "",
      level: event.level, peer: event.peer === undefined ? null : event.peer, needs: [],
      isOuter: kind === "call" || kind === "fallback" || kind === "started", isFirst: true, cause: null,
      times: {wait: from, begin, end, told: to}
    };
  });
  const own = new Map([...rowOf.keys()].map((rank) => [rank, []]));
  for (const step of steps) if (rowOf.get(step.rank) === step.row) own.get(step.rank).push(step);
  return {seen, index, isPlan: false, hasTimes: true, rows, rowOf, steps, own, strips: 1,
          duration: seen.duration, rounds: 0};
}

const views = json.views.map((seen, index) =>
  seen.kind === "plan" ? viewOfPlan(seen, index) : viewOfTimeline(seen, index));
{
  const differ = (of) => new Set(views.map((view) => of(view.seen))).size > 1;
  const [titles, machines] = [differ((seen) => seen.title), differ((seen) => seen.machine)];
  for (const view of views)
    view.name = machines && !titles ? view.seen.machine
      : view.seen.title + (machines ? " on " + view.seen.machine : "");
}
const anyTimes = views.some((view) => view.hasTimes);
const anyRounds = views.some((view) => view.isPlan);
const longest = Math.max(...views.map((view) => view.duration || 0), 1e-9);
const mostRounds = Math.max(...views.map((view) => view.rounds), 0);
const moments = [...new Set(views.flatMap((view) => !view.hasTimes ? [] : [0, view.duration].concat(
  view.steps.flatMap((step) => [step.times.wait, step.times.begin, step.times.end]))))]
  .sort((a, b) => a - b);

/// Who waits for a step, found once.
function dependentsOf(view, id) {
  if (!view.dependents) {
    view.dependents = new Map();
    for (const step of view.steps)
      for (const need of step.needs) {
        if (!view.dependents.has(need.step)) view.dependents.set(need.step, []);
        view.dependents.get(need.step).push(step.id);
      }
  }
  return view.dependents.get(id) || [];
}

// ---------------------------------------------------------------------------------------------
// Paths: pieces of {part, rank, step, begin, end}, from the beginning on.

/// Back from the rank's return, as the command finds the critical path of all.
function pathOfPlan(view, rank) {
  const path = [], own = view.own.get(rank);
  const add = (part, of, step, begin, end) => {
    if (end > begin) path.push({part, rank: of, step, begin, end});
  };
  const [begun, ended] = view.seen.calls[rank];
  let step = own[own.length - 1], isOwn = true;
  add("leave", rank, null, step ? step.times.told : begun, ended);
  while (step) {
    if (isOwn) add("publish", step.rank, step.id, step.times.end, step.times.told);
    add("work", step.rank, step.id, step.times.begin, step.times.end);
    const cause = step.cause === null ? null : view.steps[step.cause];
    isOwn = cause === null;
    if (isOwn) add("look", step.rank, step.id, step.times.wait, step.times.begin);
    else add(step.byMessage ? "message" : "signal", step.rank, step.id, cause.times.end,
             step.times.begin);
    const all = view.own.get(step.rank), before = all[all.indexOf(step) - 1];
    if (isOwn && !before)
      add("enter", step.rank, null, view.seen.calls[step.rank][0], step.times.wait);
    step = isOwn ? before : cause;
  }
  return path.reverse();
}

/// Without times: back to what comes from the latest round.
function pathByRounds(view, rank) {
  const path = [], own = view.own.get(rank);
  let step = own[own.length - 1];
  while (step) {
    path.push({part: "work", rank: step.rank, step: step.id});
    const all = view.own.get(step.rank), before = all[all.indexOf(step) - 1];
    const earlier = step.needs.map((need) => view.steps[need.step]).concat(before || [])
      .filter((one) => one.round < step.round);
    step = earlier.reduce((best, one) => !best || one.round > best.round ? one : best, null);
  }
  return path.reverse();
}

function pathOfTimeline(view, rank) {
  const path = [], waits = new Map();
  for (const [of, steps] of view.own)
    waits.set(of, steps.filter((step) => step.kind === "wait" && step.peer !== null &&
                                         step.peer !== of && step.times.begin > step.times.wait)
      .sort((a, b) => a.times.told - b.times.told));
  const firsts = new Map([...view.own].map(([of, steps]) =>
    [of, Math.min(...steps.map((step) => step.times.wait))]));
  let at = Math.max(0, ...view.own.get(rank).map((step) => step.times.told));
  for (;;) {
    let wait = null;
    while (!wait && waits.get(rank).length) {
      const next = waits.get(rank).pop();
      if (next.times.told <= at && view.own.has(next.peer) && view.own.get(next.peer).length)
        wait = next;
    }
    const begin = wait ? wait.times.told : Math.min(at, firsts.get(rank));
    path.push({rank, step: wait ? wait.id : null, begin, end: at});
    if (!wait) return path.reverse();
    rank = wait.peer;
    at = begin;
  }
}

function pathOf(view, rank) {
  if (!view.own.has(rank) || view.own.get(rank).length === 0) return [];
  if (!view.isPlan) return pathOfTimeline(view, rank);
  return view.hasTimes ? pathOfPlan(view, rank) : pathByRounds(view, rank);
}

/// The steps to be lit: of a timeline, what lies on the pieces.
function stepsOn(view, path) {
  if (view.isPlan) return path.map((piece) => piece.step).filter((step) => step !== null);
  const lit = [];
  for (const piece of path)
    for (const step of view.own.get(piece.rank) || [])
      if (step.times.wait < piece.end && step.times.told > piece.begin) lit.push(step.id);
  return lit;
}

// ---------------------------------------------------------------------------------------------
// State.

const state = {
  mode: anyTimes ? "time" : "rounds", now: 0, playing: false, rank: null, path: false,
  arrows: views.every((view) => arrowCount(view) <= kFewArrows), zoom: 1, chosen: null, hover: null
};
state.now = end();

function arrowCount(view) {
  return view.isPlan ? view.steps.reduce((sum, step) => sum + step.needs.length, 0)
                     : view.steps.filter((step) => step.kind === "wait").length;
}
function end() { return state.mode === "time" ? longest : mostRounds; }
const isTime = () => state.mode === "time";
const isDrawn = (view) => isTime() ? view.hasTimes : view.isPlan;

// ---------------------------------------------------------------------------------------------
// Drawing.

function measure(view, room) {
  const rows = view.rows.length;
  const height = rows <= 16 ? 28 : rows <= 32 ? 22 : 18;
  const place = {height, bottom: kTop + rows * height + 4};
  if (isTime()) {
    place.width = Math.max(room, 200) * state.zoom;
    place.x = (ns) => 4 + ns / longest * (place.width - 24);
  } else {
    const widest = Math.max(36, ...view.steps.map((step) => widthOf(step.label)));
    const fitting = (room - 8) / Math.max(view.rounds, 1);
    place.column = Math.max(widest + 26, Math.min(fitting, 150)) * state.zoom;
    place.width = Math.max(8 + place.column * view.rounds, room);
    place.x = (round) => 4 + (round - 1) * place.column;
  }
  place.y = (row) => kTop + row * height;
  place.low = (row) => kTop + (row + 1) * height - 4;  // below letters
  place.inset = height < 28 ? 3 : 5;
  place.middle = (row) => kTop + (row + 0.5) * height;
  return place;
}

/// Where arrows leave and reach a step.
function tail(view, step) {
  const place = view.place, y = place.middle(step.row);
  if (isTime()) return [place.x(step.times.end), y];
  return [place.x(step.round) + place.column - 8, y];
}
function tip(view, step) {
  const place = view.place, y = place.middle(step.row);
  if (isTime()) return [place.x(step.times.begin), y];
  return [place.x(step.round) + 8, y];
}

function drawNames(view, box) {
  const place = view.place;
  const depths = view.seen.groups.filter((group) => !group.single)
    .reduce((most, group) => Math.max(most, group.depth + 1), 0);
  const band = 17, left = depths * band;
  const digits = Math.max(...view.rows.map((row) => row.name.length));
  const width = left + Math.max(38, widthOf("0".repeat(digits)) + 14);
  const svg = shape(box, "svg", {width, height: place.bottom, role: "presentation"});
  for (const group of view.seen.groups) {
    if (group.single) continue;
    const g = shape(svg, "g", {class: "group"});
    const height = group.count * place.height, y = place.y(group.first);
    shape(g, "title", {}, group.name);
    shape(g, "rect", {x: group.depth * band, y, width: band, height, class: "d" + group.depth % 4});
    const number = group.name.split(" ").pop();
    const label = [group.name, number].find((text) => widthOf(text) + 4 <= height);
    const x = group.depth * band + band / 2, middle = y + height / 2;
    if (label === undefined) continue;
    const upright = {x: x + 4, y: middle, transform: `rotate(-90 ${x + 4} ${middle})`};
    shape(g, "text", label === number ? {x, y: middle + 4} : upright, label);
  }
  shape(svg, "text", {x: width - 7, y: kTop - 9, class: "tick", style: "text-anchor: end"}, "rank");
  view.names = new Map();
  view.rows.forEach((row, i) => {
    const g = shape(svg, "g", {class: "rank", "data-rank": row.rank});
    shape(g, "title", {}, row.title + ": click to highlight its path");
    shape(g, "rect", {x: left + 1, y: place.y(i) + 1, width: width - left - 2,
                      height: place.height - 2, rx: 3});
    shape(g, "text", {x: width - 7, y: place.middle(i) + 4}, row.name);
    view.names.set(i, g);
  });
}

/// About a tick for each 90 pixels, at round numbers.
function drawAxis(view, svg) {
  const place = view.place;
  if (!isTime()) {
    for (let round = 1; round <= view.rounds; ++round)
      shape(svg, "text", {x: place.x(round) + place.column / 2, y: kTop - 9, class: "tick"}, round);
    return;
  }
  const most = Math.max(2, place.width / 90);
  let size = 10 ** Math.floor(Math.log10(longest / most));
  size *= [1, 2, 5, 10].find((factor) => longest / (size * factor) <= most) || 10;
  const offset = view.seen.offset || 0, last = offset + longest * 1.0001;
  for (let tick = Math.ceil(offset / size) * size; tick <= last; tick += size) {
    const x = place.x(tick - offset);
    shape(svg, "line", {x1: x, x2: x, y1: kTop - 4, y2: place.bottom, class: "grid"});
    if (x > 14) shape(svg, "text", {x, y: kTop - 9, class: "tick"}, timeText(tick));
  }
}

function drawRows(view, svg) {
  const place = view.place;
  view.rows.forEach((row, i) => {
    const y = place.y(i) + place.height;
    shape(svg, "line", {x1: 0, x2: place.width, y1: y, y2: y, class: "row"});
    const call = isTime() && view.isPlan ? view.seen.calls[row.rank] : null;
    if (call)
      shape(svg, "rect", {
        x: place.x(call[0]), y: place.y(i) + 3, height: place.height - 6, rx: 2, class: "call",
        width: Math.max(place.x(call[1]) - place.x(call[0]), 0.5)
      });
  });
}

function drawBar(view, parent, step, from, to, kind) {
  if (to <= from) return 0;
  const place = view.place, inset = step.isOuter ? 1 : place.inset, x = place.x(from);
  const width = Math.max(place.x(to) - x, 0.8);
  shape(parent, "rect", {x: tenth(x), width: tenth(width), y: place.y(step.row) + inset,
                         height: place.height - 2 * inset, class: "bar " + kind});
  if (kind === "wait" && width > 8)
    shape(parent, "rect", {x: tenth(x), width: tenth(width), y: place.y(step.row) + inset,
                           height: place.height - 2 * inset, fill: "url(#hatch)",
                           "pointer-events": "none"});
  return width;
}

function drawStep(view, parent, step) {
  const place = view.place, y = place.middle(step.row) + 4;
  const g = shape(parent, "g", {class: "step", "data-step": step.id});
  if (!isTime()) {
    const width = place.column - 16;
    shape(g, "rect", {x: place.x(step.round) + 8, y: place.y(step.row) + place.inset, width, rx: 3,
                      height: place.height - 2 * place.inset, class: "bar " + step.kind});
    shape(g, "text", {x: place.x(step.round) + place.column / 2, y}, step.label);
    return g;
  }
  const {wait, begin, end: done, told} = step.times;
  const waits = step.cause !== null || step.kind === "wait";
  drawBar(view, g, step, wait, begin, waits ? "wait" : "look");
  const kind = step.isOuter ? "outer " + step.kind : step.kind;
  const width = drawBar(view, g, step, begin, done, kind);
  drawBar(view, g, step, done, told, "publish");
  if (width > widthOf(step.label) + 6 && step.label && !step.isOuter)
    shape(g, "text", {x: (place.x(begin) + place.x(done)) / 2, y}, step.label);
  return g;
}

/// From left to right a curve; its head is a shape of its own, for its colour.
function drawArrow(parent, [x1, y1], [x2, y2], className = "") {
  const bend = Math.min(Math.max((x2 - x1) / 2, 6), 40);
  const straight = y1 === y2 || isTime();
  const from = straight ? `L${tenth(x2)} ${y2}`
                        : `C${tenth(x1 + bend)} ${y1} ${tenth(x2 - bend)} ${y2} ${tenth(x2)} ${y2}`;
  shape(parent, "path", {d: `M${tenth(x1)} ${y1}${from}`, class: "arrow " + className});
  const angle = straight ? Math.atan2(y2 - y1, x2 - x1) * 180 / Math.PI : 0;
  if (Math.hypot(x2 - x1, y2 - y1) > 8)
    shape(parent, "path", {d: "M0 0L-7 -3L-7 3Z", class: "head",
                           transform: `translate(${tenth(x2)} ${y2}) rotate(${tenth(angle)})`});
}

/// What comes to a step: in rounds all that it waits for, in time what came last.
function drawArrowsTo(view, parent, step, all) {
  const place = view.place;
  if (!view.isPlan) {
    if (step.kind !== "wait" || step.peer === null || !view.rowOf.has(step.peer)) return;
    if (step.peer === step.rank) return;
    const x = place.x(step.times.told);
    drawArrow(parent, [x, place.middle(view.rowOf.get(step.peer))], [x, place.middle(step.row)]);
    return;
  }
  for (const need of step.needs) {
    const isLast = need.step === step.cause;
    if (isTime() && !isLast && !all) continue;
    const from = view.steps[isTime() ? need.step : view.firstOf.get(need.form)];
    if (from.rank === step.rank) continue;
    drawArrow(parent, tail(view, from), tip(view, step), isLast ? "last" : "");
  }
}

function drawPath(view, parent, path) {
  const place = view.place;
  if (!isTime()) {
    const steps = path.map((piece) => piece.step).filter((step) => step !== null)
      .map((step) => view.steps[view.firstOf.get(view.steps[step].formIndex)])
      .filter((step, i, all) => step !== all[i - 1]);
    for (let i = 1; i < steps.length; ++i)
      drawArrow(parent, tail(view, steps[i - 1]), tip(view, steps[i]));
    return;
  }
  path.forEach((piece, i) => {
    const y = place.low(view.rowOf.get(piece.rank)), x1 = place.x(piece.begin);
    const x2 = place.x(piece.end);
    if (piece.part === "signal" || piece.part === "message") {
      const cause = view.steps[view.steps[piece.step].cause];
      return drawArrow(parent, [x1, place.low(cause.row)], [x2, y]);
    }
    if (!view.isPlan && i > 0)
      drawArrow(parent, [x1, place.low(view.rowOf.get(path[i - 1].rank))], [x1, y]);
    shape(parent, "path", {d: `M${tenth(x1)} ${y}L${tenth(x2)} ${y}`, class: "arrow"});
  });
}

function draw(view) {
  const box = view.box;
  const scrolled = view.plot ? view.plot.scrollLeft / Math.max(view.plot.scrollWidth, 1) : 0;
  const focused = view.plot === document.activeElement;
  box.replaceChildren();
  view.place = null;
  if (!isDrawn(view)) {
    box.append(html("p", {style: "padding: 8px"},
                    isTime() ? "Times need a machine with costs: `terrace cost --list` names some."
                             : "A timeline has no rounds."));
    view.plot = view.svg = null;
    return;
  }
  const names = html("div", {class: "names"});
  view.plot = html("div", {class: "plot", tabindex: 0, role: "application",
                           "aria-label": view.seen.title + ": arrow keys step, ? lists all keys"});
  box.append(names, view.plot);
  view.place = measure(view, 100);
  drawNames(view, names);
  const room = view.plot.clientWidth;
  view.place = measure(view, room);
  const place = view.place;
  const svg = view.svg = shape(view.plot, "svg", {width: place.width, height: place.bottom});
  drawAxis(view, svg);
  drawRows(view, svg);
  view.column = shape(svg, "rect", {class: "column", y: 0, height: place.bottom, width: 0});
  const steps = shape(svg, "g", {});
  view.shapes = new Map();
  for (const step of view.steps) {
    if (!isTime() && !step.isFirst) continue;
    view.shapes.set(step.id, drawStep(view, steps, step));
  }
  view.arrows = shape(svg, "g", {class: "all"});
  if (state.arrows)
    for (const id of view.shapes.keys()) drawArrowsTo(view, view.arrows, view.steps[id]);
  view.ofRank = shape(svg, "g", {class: "of-rank"});
  view.critical = shape(svg, "g", {class: "critical"});
  view.focus = shape(svg, "g", {class: "focus"});
  view.curtain = shape(svg, "rect", {class: "curtain", y: kTop - 2, height: place.bottom});
  view.playhead = shape(svg, "line", {class: "playhead", y1: kTop - 4, y2: place.bottom});
  view.plot.scrollLeft = scrolled * view.plot.scrollWidth;
  if (focused) view.plot.focus();
}

function showEmphasis() {
  for (const view of views) {
    if (!view.svg) continue;
    const lit = new Set();
    view.ofRank.replaceChildren();
    view.critical.replaceChildren();
    const light = (path, parent) => {
      for (const step of stepsOn(view, path))
        lit.add(isTime() || !view.isPlan ? step : view.firstOf.get(view.steps[step].formIndex));
      drawPath(view, parent, path);
    };
    if (state.rank !== null) {
      for (const step of view.own.get(state.rank) || []) lit.add(step.id);
      light(pathOf(view, state.rank), view.ofRank);
    }
    if (state.path && view.seen.path) light(view.seen.path, view.critical);
    view.svg.classList.toggle("has-lit", lit.size > 0);
    for (const [id, g] of view.shapes) g.classList.toggle("lit", lit.has(id));
    for (const [row, g] of view.names)
      g.classList.toggle("lit", view.rows[row].rank === state.rank);
  }
}

function showFocus() {
  for (const view of views) {
    if (!view.svg) continue;
    view.focus.replaceChildren();
    for (const g of view.svg.querySelectorAll(".chosen")) g.classList.remove("chosen");
    const of = [state.chosen, state.hover].filter((one) => one && one.view === view);
    for (const one of of) {
      const id = isTime() || !view.isPlan ? one.step.id : view.firstOf.get(one.step.formIndex);
      drawArrowsTo(view, view.focus, view.steps[id], true);
      if (one === state.chosen && view.shapes.has(id)) view.shapes.get(id).classList.add("chosen");
    }
  }
}

function isAt(view, step) {
  if (!isTime()) return step.round === state.now;
  return step.times.wait <= state.now && state.now < step.times.told;
}

function showPosition() {
  for (const view of views) {
    if (!view.svg) continue;
    const place = view.place, atEnd = state.now >= end();
    const x = isTime() ? place.x(state.now) : place.x(state.now + 1);
    view.curtain.setAttribute("x", x);
    view.curtain.setAttribute("width", atEnd ? 0 : Math.max(place.width - x, 0));
    view.playhead.setAttribute("x1", x);
    view.playhead.setAttribute("x2", x);
    view.playhead.setAttribute("visibility", isTime() && !atEnd ? "visible" : "hidden");
    const shows = !isTime() && state.now > 0 && state.now <= view.rounds;
    view.column.setAttribute("width", shows ? place.column : 0);
    if (shows) view.column.setAttribute("x", place.x(state.now));
    for (const g of view.svg.querySelectorAll(".current")) g.classList.remove("current");
    if (!atEnd || !isTime())
      for (const [id, g] of view.shapes)
        if (isAt(view, view.steps[id]) && !view.steps[id].isOuter) g.classList.add("current");
    const over = Math.min(x, place.width) - view.plot.scrollLeft;
    if (!atEnd && (over < 0 || over > view.plot.clientWidth))
      view.plot.scrollLeft = x - view.plot.clientWidth * 0.3;
  }
  const slider = byId("position");
  slider.max = isTime() ? moments.length - 1 : mostRounds;
  slider.value = isTime() ? momentBefore(state.now) : state.now;
  const where = isTime() ? timeText(state.now) + " of " + timeText(longest)
                         : "round " + state.now + " of " + mostRounds;
  byId("where").textContent = where;
  slider.setAttribute("aria-valuetext", where);
  root.dataset.now = state.now;
}

/// The last moment that is not after `time`.
function momentBefore(time) {
  let low = 0, high = moments.length;
  while (low < high) {
    const middle = low + high >> 1;
    if (moments[middle] <= time * (1 + 1e-12)) low = middle + 1;
    else high = middle;
  }
  return Math.max(low - 1, 0);
}

// ---------------------------------------------------------------------------------------------
// Words.

const nameOf = (view, step) => view.isPlan
  ? `rank ${step.rank}, step ${step.form.position + 1}` +
    (view.strips > 1 ? ` of strip ${step.strip + 1}` : "")
  : view.rows[step.row].title;

function linkTo(view, step) {
  return html("button", {type: "button", class: "link", "data-goto": step.id,
                         onclick: () => choose({view, step})}, nameOf(view, step));
}

function timesOf(view, step) {
  const rows = [], {wait, begin, end: done, told} = step.times;
  const add = (name, from, to) => {
    if (to > from)
      rows.push(html("tr", {}, html("td", {}, name),
                     html("td", {class: "number"}, timeText(to - from)),
                     html("td", {class: "number"}, `${timeText(from)} to ${timeText(to)}`)));
  };
  add(step.cause !== null || step.kind === "wait" ? "waits" : "looks", wait, begin);
  add(kWords[step.kind], begin, done);
  add(kParts.publish, done, told);
  return html("table", {}, ...rows);
}

function needLine(view, step, need, links) {
  const other = view.steps[need.step], isLast = need.step === step.cause;
  const line = html("li", {}, links ? linkTo(view, other) : nameOf(view, other),
                    ` (${other.label}): ${need.why}`, need.distance ? "; " + need.distance : "");
  if (isLast) line.append("; ", html("span", {class: "came-last"}, "came last"));
  else if (step.times) line.append(isTimely(other, step) ? "" : "; was there already");
  return line;
}

/// Whether the other's end lies within the wait.
function isTimely(other, step) {
  return other.times && other.times.end > step.times.wait && other.times.end <= step.times.begin;
}

function describePlanStep(view, step, links) {
  const parts = [
    html("h3", {}, nameOf(view, step) + ` of ${step.count}, round ${step.round}`),
    html("p", {}, html("code", {}, step.form.statement)),
    html("p", {}, kWords[step.kind] + (step.bytes ? ", " + bytesText(step.bytes) : "") +
      (step.form.from.length ? "; takes from " + listOf(step.form.from) : "") +
      (step.form.to.length ? "; stores to " + listOf(step.form.to) : ""))
  ];
  if (step.times) parts.push(timesOf(view, step));
  const most = links ? 64 : 5;
  parts.push(html("h4", {}, step.needs.length ? "waits for" : "waits for no other rank"));
  const needs = [...step.needs].sort((a, b) => (b.step === step.cause) - (a.step === step.cause));
  const lines = needs.slice(0, most).map((need) => needLine(view, step, need, links));
  if (needs.length > most) lines.push(html("li", {}, `and ${needs.length - most} more`));
  parts.push(html("ul", {}, ...lines));
  const after = dependentsOf(view, step.id);
  if (links && after.length)
    parts.push(html("h4", {}, "is waited for by"),
               html("ul", {}, ...after.slice(0, 12).map((id) =>
                 html("li", {}, linkTo(view, view.steps[id]), ` (${view.steps[id].label})`)),
                    after.length > 12 ? html("li", {}, `and ${after.length - 12} more`) : null));
  return parts;
}

function listOf(ranks) {
  const shown = ranks.slice(0, 8).join(", ");
  return (ranks.length === 1 ? "rank " : "ranks ") + shown +
    (ranks.length > 8 ? ` and ${ranks.length - 8} more` : "");
}

/// What the awaited rank was in when a recorded wait ended: the shortest that holds the moment.
function atEndOf(view, wait) {
  const at = wait.times.told;
  return (view.own.get(wait.peer) || [])
    .filter((step) => step.times.wait < at && step.times.told >= at)
    .sort((a, b) => (a.times.told - a.times.wait) - (b.times.told - b.times.wait))[0];
}

function describeEvent(view, step, links) {
  const {wait, told} = step.times, offset = view.seen.offset || 0;
  const toward = step.kind === "wait" ? " for rank " : ", with rank ";
  const parts = [
    html("h3", {}, view.rows[step.row].title + " " + kWords[step.kind] +
      (step.peer !== null ? toward + step.peer : "") + (step.level ? ` (${step.level})` : "")),
    step.label ? html("p", {}, html("code", {}, step.label)) : null,
    html("p", {}, `${timeText(told - wait)}, from ${timeText(wait + offset)} to ` +
                  timeText(told + offset))
  ];
  if (step.kind === "wait" && step.peer !== null && step.peer !== step.rank) {
    const other = atEndOf(view, step);
    const name = !other ? `rank ${step.peer}` : links ? linkTo(view, other) : nameOf(view, other);
    parts.push(html("h4", {}, "when the wait ended"),
               html("p", {}, name, !other ? " was in nothing that is recorded"
                 : " " + kWords[other.kind] + (other.label ? `: ${other.label}` : "")));
  }
  return parts.filter((part) => part !== null);
}

const describe = (view, step, links) =>
  view.isPlan ? describePlanStep(view, step, links) : describeEvent(view, step, links);

/// How long the path is in each part.
function sharesOf(path) {
  const shares = new Map();
  for (const piece of path)
    shares.set(piece.part, (shares.get(piece.part) || 0) + piece.end - piece.begin);
  return shares;
}

function compareViews() {
  const timed = views.filter((view) => view.isPlan && view.hasTimes);
  if (timed.length === 0) return [];
  const parts = Object.keys(kParts).filter((part) =>
    timed.some((view) => sharesOf(view.seen.path).get(part)));
  const row = (name, value) => html("tr", {}, html("th", {}, name),
    ...timed.map((view) => html("td", {class: "number"}, value(view))));
  const several = timed.length > 1;
  return [html("table", {class: "compare"},
    several ? row("", (view) => view.name) : null,
    row("takes", (view) => timeText(view.duration)),
    row("a rank on average", (view) => timeText(view.seen.mean)),
    row("rounds", (view) => String(view.rounds)),
    row("steps", (view) => String(view.steps.length)),
    html("tr", {}, html("th", {colspan: timed.length + 1}, "on its critical path")),
    ...parts.map((part) => row(kParts[part], (view) =>
      timeText(sharesOf(view.seen.path).get(part) || 0))))];
}

function describeWaits(view) {
  const rows = [...view.own].map(([rank, steps]) => {
    const waits = steps.filter((step) => step.kind === "wait");
    return {rank, sum: waits.reduce((all, step) => all + step.times.told - step.times.wait, 0)};
  }).sort((a, b) => b.sum - a.sum).slice(0, 8);
  return [html("h4", {}, "ranks that wait longest"), html("table", {}, ...rows.map((row) =>
    html("tr", {}, html("td", {}, "rank " + row.rank),
         html("td", {class: "number"}, timeText(row.sum)))))];
}

function describePath(view, path, title) {
  const most = 200;
  const line = (piece) => {
    const step = piece.step === null ? null : view.steps[piece.step];
    const what = view.isPlan ? kShort[piece.part] : step ? "goes on after its wait" : "begins";
    return html("tr", {}, html("td", {class: "number"}, timeText(piece.end - piece.begin)),
                html("td", {}, step ? linkTo(view, step) : "rank " + piece.rank),
                html("td", {}, what));
  };
  if (path.length === 0 || path[0].begin === undefined) return [];
  const parts = [html("h4", {}, title),
                 html("table", {class: "path"}, ...path.slice(0, most).map(line))];
  if (path.length > most) parts.push(html("p", {}, `and ${path.length - most} more pieces`));
  return parts;
}

function showDetails() {
  const box = byId("details");
  if (state.chosen) {
    box.replaceChildren(...describe(state.chosen.view, state.chosen.step, true));
    return;
  }
  const parts = [html("h3", {}, "Point at a step, or click on it")];
  parts.push(...compareViews());
  for (const view of views) {
    const name = views.length > 1 ? view.name + ": " : "";
    if (state.path && view.seen.path)
      parts.push(...describePath(view, view.seen.path, name +
        (view.isPlan ? "critical path" : "back from the last event")));
    if (state.rank !== null && view.own.has(state.rank))
      parts.push(...describePath(view, pathOf(view, state.rank),
                                 `${name}path of rank ${state.rank}`));
    if (!view.isPlan && !state.path && state.rank === null) parts.push(...describeWaits(view));
    for (const sentence of view.seen.left_out || []) parts.push(html("p", {}, sentence));
  }
  box.replaceChildren(...parts);
}

function showTip(at) {
  const tip = byId("tip");
  tip.hidden = state.hover === null;
  if (tip.hidden) return;
  tip.replaceChildren(...describe(state.hover.view, state.hover.step, false));
  const {width, height} = tip.getBoundingClientRect();
  const left = at.clientX + 14 + width > innerWidth ? at.clientX - 14 - width : at.clientX + 14;
  const top = at.clientY + 14 + height > innerHeight ? at.clientY - 14 - height : at.clientY + 14;
  tip.style.left = Math.max(left, 4) + "px";
  tip.style.top = Math.max(top, 4) + "px";
}

function showLegend() {
  const kinds = new Set(), legend = byId("legend");
  for (const view of views.filter(isDrawn))
    for (const step of view.steps) {
      kinds.add(step.kind === "call" ? "outer" : step.kind);
      if (!isTime() || !view.isPlan) continue;
      if (step.cause !== null) kinds.add("wait");
      else if (step.times.begin > step.times.wait) kinds.add("look");
      if (step.times.told > step.times.end) kinds.add("publish");
    }
  legend.replaceChildren();
  for (const kind of kinds) {
    const line = html("span", {});
    const svg = shape(line, "svg", {width: 18, height: 12, "aria-hidden": "true"});
    shape(svg, "rect", {width: 18, height: 12, rx: 2, class: "bar " + kind});
    if (kind === "wait") shape(svg, "rect", {width: 18, height: 12, fill: "url(#hatch)"});
    line.append(kWords[kind] || kWords.call);
    legend.append(line);
  }
}

// ---------------------------------------------------------------------------------------------
// What controls do.

function showControls() {
  const press = (id, on) => byId(id).setAttribute("aria-pressed", String(on));
  press("rounds", !isTime());
  press("time", isTime());
  press("path", state.path);
  press("arrows", state.arrows);
  byId("rounds").disabled = !anyRounds;
  byId("time").disabled = !anyTimes;
  byId("path").disabled = !views.some((view) => view.seen.path);
  byId("play").textContent = state.playing ? "Stop" : "Play";
  byId("play").setAttribute("aria-label", state.playing ? "Stop" : "Play");
  byId("rank").value = state.rank === null ? "" : String(state.rank);
  const {chosen} = state;
  Object.assign(root.dataset, {mode: state.mode, playing: state.playing, path: state.path,
                               rank: state.rank === null ? "" : state.rank,
                               chosen: chosen ? `${chosen.view.index}:${chosen.step.id}` : ""});
  root.style.setProperty("--header", byId("toolbar").parentElement.offsetHeight + "px");
}

function redraw() {
  views.forEach(draw);
  showLegend();
  showEmphasis();
  showFocus();
  showPosition();
  showControls();
}

function setMode(mode) {
  if (mode === state.mode || !(mode === "time" ? anyTimes : anyRounds)) return;
  const share = state.now / end();
  stop();
  state.mode = mode;
  state.now = mode === "time" ? share * longest : Math.round(share * mostRounds);
  state.zoom = 1;
  redraw();
}

function goTo(now) {
  state.now = Math.min(Math.max(now, 0), end());
  followRank();
  showPosition();
}

function stepBy(count) {
  stop();
  if (!isTime()) return goTo(Math.round(state.now) + count);
  const at = momentBefore(state.now), exact = moments[at] >= state.now * (1 - 1e-12);
  const next = count > 0 || exact ? at + count : at;
  goTo(moments[Math.min(Math.max(next, 0), moments.length - 1)]);
}

/// The highlighted rank's step at the position, in the view that is looked at.
function followRank() {
  if (state.rank === null || state.playing) return;
  const view = state.chosen && state.chosen.view.own.has(state.rank) ? state.chosen.view
    : views.find((one) => one.svg && one.own.has(state.rank));
  if (!view || !isDrawn(view)) return;
  let found = null;
  for (const step of view.own.get(state.rank)) {
    if (step.isOuter) continue;
    const isThere = isTime() ? step.times.wait <= state.now
                             : step.isFirst && step.round <= state.now;
    if (isThere) found = step;
  }
  choose(found ? {view, step: found} : null);
}

let frame = 0, since = 0;
function play() {
  if (state.playing) return;
  if (state.now >= end()) state.now = 0;
  state.playing = true;
  choose(null);
  showPosition();
  since = performance.now();
  frame = requestAnimationFrame(advance);
  showControls();
}

function advance(at) {
  if (!state.playing) return;
  const seconds = Number(byId("speed").value);
  if (isTime()) {
    state.now = Math.min(state.now + Math.max(at - since, 0) / 1000 / seconds * longest, longest);
    since = at;
    showPosition();
  } else if (at - since > Math.max(250, seconds * 1000 / Math.max(mostRounds, 1))) {
    state.now = Math.min(state.now + 1, mostRounds);
    since = at;
    showPosition();
  }
  if (state.now >= end()) return stop();
  frame = requestAnimationFrame(advance);
}

function stop() {
  if (!state.playing) return;
  state.playing = false;
  cancelAnimationFrame(frame);
  showPosition();
  showControls();
}

function choose(one) {
  state.chosen = one;
  showFocus();
  showDetails();
  showControls();
}

function highlight(rank) {
  state.rank = rank;
  state.chosen = null;
  showEmphasis();
  showFocus();
  showDetails();
  showControls();
}

function moveRank(by) {
  const ranks = [...new Set(views[0].rows.map((row) => row.rank))];
  const at = state.rank === null ? (by > 0 ? -1 : 0) : ranks.indexOf(state.rank);
  highlight(ranks[(at + by + ranks.length) % ranks.length]);
  followRank();
}

function togglePath() {
  if (byId("path").disabled) return;
  state.path = !state.path;
  state.chosen = null;
  showEmphasis();
  showFocus();
  showDetails();
  showControls();
}

function toggleArrows() {
  state.arrows = !state.arrows;
  redraw();
}

function zoom(factor) {
  const most = isTime() ? 64 : 4;
  state.zoom = factor === 0 ? 1 : Math.min(Math.max(state.zoom * factor, isTime() ? 1 : 0.5), most);
  redraw();
}

/// From a step to what it waited for last: the cause, or else the latest of what it needs.
function follow() {
  if (!state.chosen) return;
  const {view, step} = state.chosen;
  if (!view.isPlan) {
    const other = step.kind === "wait" && step.peer !== null ? atEndOf(view, step) : null;
    if (other) choose({view, step: other});
    return;
  }
  const latest = step.needs.map((need) => view.steps[need.step])
    .reduce((best, one) => !best || one.round > best.round ? one : best, null);
  const cause = step.cause !== null ? view.steps[step.cause] : step.times ? null : latest;
  const own = view.own.get(step.rank), before = own[own.indexOf(step) - 1];
  if (cause || before) choose({view, step: cause || before});
}

function clear() {
  stop();
  state.path = false;
  state.hover = null;
  showTip();
  highlight(null);
}

const kKeys = {
  ArrowLeft: () => stepBy(-1), ArrowRight: () => stepBy(1),
  ArrowUp: () => moveRank(-1), ArrowDown: () => moveRank(1),
  Home: () => { stop(); goTo(0); }, End: () => { stop(); goTo(end()); },
  " ": () => state.playing ? stop() : play(), Enter: follow, Escape: clear,
  r: () => setMode("rounds"), t: () => setMode("time"), c: togglePath, a: toggleArrows,
  "+": () => zoom(1.5), "=": () => zoom(1.5), "-": () => zoom(1 / 1.5), 0: () => zoom(0),
  "?": () => byId("keys").showModal()
};

function onKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || byId("keys").open) return;
  const target = event.target, isField = target.matches("input, select");
  if (isField && event.key !== "Escape" && event.key.length > 1) return;
  if (target.matches("select")) return;
  if (target.matches("button") && (event.key === " " || event.key === "Enter")) return;
  if (target.matches("#details") && /^(Arrow|Home|End)/.test(event.key)) return;
  const act = kKeys[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}

// ---------------------------------------------------------------------------------------------
// The page.

function stepUnder(event) {
  const g = event.target.closest && event.target.closest("[data-step]");
  const plot = g && g.closest(".view");
  if (!plot) return null;
  const view = views[Number(plot.dataset.view)];
  return {view, step: view.steps[Number(g.dataset.step)]};
}

function addView(view) {
  const seen = view.seen, facts = (seen.facts || []).map(([name, value]) => `${name} ${value}`);
  view.box = html("div", {class: "drawing"});
  const takes = !view.hasTimes ? `${view.rounds} rounds, no times`
    : view.isPlan ? `takes ${timeText(view.duration)}` : `${timeText(view.duration)} long`;
  byId("views").append(html("section",
    {class: "view", "data-view": view.index, "aria-label": view.name},
    html("h2", {}, seen.title), html("p", {class: "takes"}, `${seen.ranks} ranks, ${takes}`),
    seen.machine || facts.length
      ? html("p", {}, [seen.machine, ...facts].filter((text) => text).join("; ")) : null,
    view.box));
}

function addHatch() {
  const svg = shape(document.body, "svg", {width: 0, height: 0, "aria-hidden": "true",
                                           style: "position: absolute"});
  const pattern = shape(shape(svg, "defs"), "pattern", {
    id: "hatch", width: 6, height: 6, patternUnits: "userSpaceOnUse",
    patternTransform: "rotate(45)"});
  shape(pattern, "line", {x1: 0, x2: 0, y1: 0, y2: 6, style: "stroke: var(--hatch)"});
}

function listen() {
  const on = (id, act) => byId(id).addEventListener("click", act);
  on("rounds", () => setMode("rounds"));
  on("time", () => setMode("time"));
  on("first", kKeys.Home);
  on("back", () => stepBy(-1));
  on("play", kKeys[" "]);
  on("forward", () => stepBy(1));
  on("last", kKeys.End);
  on("path", togglePath);
  on("arrows", toggleArrows);
  on("out", () => zoom(1 / 1.5));
  on("in", () => zoom(1.5));
  on("fit", () => zoom(0));
  on("help", () => byId("keys").showModal());
  byId("position").addEventListener("input", (event) => {
    stop();
    goTo(isTime() ? moments[Number(event.target.value)] : Number(event.target.value));
  });
  byId("rank").addEventListener("change", (event) =>
    highlight(event.target.value === "" ? null : Number(event.target.value)));
  document.addEventListener("keydown", onKey);
  byId("views").addEventListener("pointermove", (event) => {
    const under = event.pointerType === "touch" ? null : stepUnder(event);
    const same = under && state.hover && under.step === state.hover.step;
    state.hover = under;
    if (!same) showFocus();
    showTip(event);
  });
  byId("views").addEventListener("pointerleave", () => {
    state.hover = null;
    showFocus();
    showTip();
  });
  byId("views").addEventListener("click", (event) => {
    const name = event.target.closest(".rank");
    if (name) {
      const rank = Number(name.dataset.rank);
      return highlight(state.rank === rank ? null : rank);
    }
    const under = stepUnder(event);
    if (under || event.target.closest(".plot")) choose(under);
  });
  let width = innerWidth;
  addEventListener("resize", () => {
    if (width !== innerWidth) redraw();
    width = innerWidth;
  });
}

byId("title").textContent = document.title;
byId("stage").classList.toggle("several", views.length > 1);
const ranks = new Set(views.flatMap((view) => [...view.rowOf.keys()]));
for (const rank of [...ranks].sort((a, b) => a - b))
  byId("rank").append(html("option", {value: rank}, String(rank)));
addHatch();
views.forEach(addView);
listen();
redraw();
showDetails();

})();
