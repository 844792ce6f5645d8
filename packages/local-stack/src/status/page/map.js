/** Draws who calls whom as SVG: a wide picture, and a tall one for phones. */

const SVG = "http://www.w3.org/2000/svg";

/** Places of the boxes by their corner, and for each arrow the points of its curve and where its label stands on it. */
const WIDE = {
  width: 1040,
  height: 440,
  boxes: {
    client: [24, 194, 84, 52],
    gateway: [226, 172, 180, 96],
    workspace: [490, 24, 200, 96],
    environment: [490, 320, 200, 96],
    identity: [826, 172, 192, 96],
  },
  arrows: [
    ["client", "gateway", "M108 220 L216 220", 0.47, [0, -12]],
    ["gateway", "workspace", "M360 172 C384 116 420 84 480 76", 0.5, [-44, -8]],
    ["gateway", "environment", "M360 268 C384 324 420 356 480 364", 0.5, [-44, 12]],
    ["gateway", "identity", "M406 220 L816 220", 0.76, [0, -12]],
    ["workspace", "identity", "M690 58 C800 62 890 92 930 162", 0.5, [56, -8]],
    ["identity", "workspace", "M866 172 C834 130 772 106 700 98", 0.5, [-16, 22]],
    ["workspace", "environment", "M590 120 L590 310", 0.3, [56, 0]],
    ["environment", "identity", "M690 374 C800 368 890 342 930 278", 0.5, [56, 10]],
  ],
};

const TALL = {
  width: 366,
  height: 470,
  boxes: {
    client: [143, 8, 80, 34],
    gateway: [103, 88, 160, 82],
    workspace: [6, 226, 134, 82],
    identity: [226, 226, 134, 82],
    environment: [103, 380, 160, 82],
  },
  arrows: [
    ["client", "gateway", "M183 42 L183 80", 0.45, [34, 0]],
    ["gateway", "workspace", "M136 170 L92 218", 0.5, [-30, -4]],
    ["gateway", "environment", "M183 170 L183 372", 0.22, [0, 0]],
    ["gateway", "identity", "M230 170 L274 218", 0.5, [30, -4]],
    ["workspace", "identity", "M140 250 L218 250", 0.5, [0, -9]],
    ["identity", "workspace", "M226 288 L148 288", 0.5, [0, 16]],
    ["workspace", "environment", "M72 308 C80 340 96 364 118 374", 0.5, [-26, 8]],
    ["environment", "identity", "M248 380 C272 364 288 340 293 316", 0.5, [28, 10]],
  ],
};

/** Creates the picture in an element. Returns the function that shows a snapshot in it. */
export function createMap(element) {
  const narrow = matchMedia("(max-width: 44rem)");
  let shown;
  let show = draw(element, narrow.matches ? TALL : WIDE, narrow.matches);
  narrow.addEventListener("change", () => {
    show = draw(element, narrow.matches ? TALL : WIDE, narrow.matches);
    if (shown !== undefined) show(shown);
  });
  return (snapshot) => {
    shown = snapshot;
    show(snapshot);
  };
}

function draw(element, layout, isNarrow) {
  const { width, height, boxes, arrows } = layout;
  const svg = create("svg", { viewBox: `0 0 ${width} ${height}`, role: "img" });
  const lines = append(svg, "g", {});
  // Above all lines.
  const labels = append(svg, "g", {});
  const shownArrows = arrows.map((arrow) => drawArrow(lines, labels, arrow, isNarrow));
  const shownBoxes = Object.entries(boxes).map(([name, box]) => drawBox(svg, name, box, isNarrow));
  element.replaceChildren(svg);
  return (snapshot) => {
    for (const one of [...shownArrows, ...shownBoxes]) one(snapshot);
    const calls = snapshot.calls.filter(({ perSecond }) => perSecond > 0);
    const text = calls.map(({ from, to, perSecond }) => `${from} calls ${to} ${rate(perSecond)} times a second`);
    svg.setAttribute("aria-label", text.join("; ") || "No program calls another one now");
  };
}

function drawArrow(lines, labels, [from, to, path, at, [dx, dy]], isNarrow) {
  const edge = append(lines, "path", { class: "edge", d: path });
  const flow = append(lines, "path", { class: "flow", d: path, visibility: "hidden" });
  const point = pointAt(path, at);
  const head = append(lines, "path", { class: "head", d: "M-1 -5 L9 0 L-1 5 Z", transform: headOf(path) });
  const label = append(labels, "text", {
    class: "label idle",
    x: point.x + dx,
    y: point.y + dy + 4,
    "text-anchor": "middle",
  });
  return ({ calls }) => {
    const call = calls.find((one) => one.from === from && one.to === to);
    const perSecond = call?.perSecond ?? 0;
    const failing = (call?.errorsPerSecond ?? 0) > 0;
    const state = failing ? "failing" : perSecond > 0 ? "busy" : "";
    edge.setAttribute("class", `edge ${state}`);
    edge.style.strokeWidth = String(1.5 + Math.min(2.5, Math.log10(1 + perSecond)));
    head.setAttribute("class", `head ${state}`);
    flow.setAttribute("visibility", perSecond > 0 ? "visible" : "hidden");
    flow.setAttribute("class", `flow ${state}`);
    flow.style.strokeWidth = String(4 + Math.min(3, Math.log10(1 + perSecond)));
    flow.style.animationDuration = `${Math.max(0.35, 1.4 - 0.35 * Math.log10(1 + perSecond))}s`;
    label.setAttribute("class", `label ${perSecond > 0 ? "" : "idle"}`);
    label.replaceChildren(...labelOf(call, isNarrow));
  };
}

function labelOf(call, isNarrow) {
  if (call === undefined || call.perSecond === 0) return [span("–")];
  const parts = [span(`${rate(call.perSecond)}/s`)];
  if (!isNarrow && call.p99Ms !== null) parts.push(span(` · ${milliseconds(call.p99Ms)}`, "p99"));
  if (call.errorsPerSecond > 0) parts.push(span(` · ${rate(call.errorsPerSecond)} failed/s`, "failing"));
  return parts;
}

function drawBox(svg, name, [x, y, width, height], isNarrow) {
  const group = append(svg, "g", {});
  append(group, "rect", { class: "box", x, y, width, height, rx: name === "client" ? height / 2 : 12 });
  const middle = x + width / 2;
  if (name === "client") {
    append(group, "text", { class: "title", x: middle, y: y + height / 2 + 5, "text-anchor": "middle" }).textContent =
      name;
    return ({ calls }) =>
      group.setAttribute("class", calls.some((one) => one.from === name && one.perSecond > 0) ? "busy" : "");
  }
  const pad = isNarrow ? 11 : 16;
  append(group, "circle", { class: "dot", cx: x + width - pad - 3, cy: y + 21, r: 4.5 });
  append(group, "text", { class: "title", x: x + pad, y: y + 26 }).textContent = name;
  const lines = [1, 2, 3]
    .slice(0, isNarrow ? 2 : 3)
    .map((line) => append(group, "text", { class: "small", x: x + pad, y: y + 30 + line * 18 }));
  return ({ programs }) => {
    const program = programs.find((one) => one.name === name);
    if (program === undefined) return;
    group.setAttribute("class", program.ready ? (program.perSecond > 0 ? "busy" : "") : "down");
    const texts = [
      `${rate(program.perSecond)}/s · p99 ${program.p99Ms === null ? "–" : milliseconds(program.p99Ms)}`,
      `${program.inFlight} in flight${program.refusedPerSecond > 0 ? `, ${rate(program.refusedPerSecond)}/s refused` : ""}`,
      thirdLine(program),
    ];
    lines.forEach((line, index) => {
      line.textContent = texts[index];
    });
  };
}

function thirdLine({ ready, pool, watches, errorsPerSecond }) {
  if (!ready) return "not ready";
  if (pool === null) return `${rate(errorsPerSecond)} errors/s`;
  const waiting = pool.waiting > 0 ? `, ${pool.waiting} wait` : "";
  const watching = watches ? `, ${watches} watches` : "";
  return `Postgres ${pool.used}/${pool.max}${waiting}${watching}`;
}

/** Returns the point at a share of a path. */
function pointAt(d, share) {
  const path = create("path", { d });
  return path.getPointAtLength(path.getTotalLength() * share);
}

/** Returns where the head of an arrow stands, turned as the path ends. */
function headOf(d) {
  const path = create("path", { d });
  const length = path.getTotalLength();
  const [end, before] = [path.getPointAtLength(length), path.getPointAtLength(length - 4)];
  const angle = (Math.atan2(end.y - before.y, end.x - before.x) * 180) / Math.PI;
  return `translate(${end.x} ${end.y}) rotate(${angle})`;
}

function create(name, attributes) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value));
  return node;
}

function append(parent, name, attributes) {
  const node = create(name, attributes);
  parent.append(node);
  return node;
}

function span(text, className = "") {
  const node = create("tspan", { class: className, "xml:space": "preserve" });
  node.textContent = text;
  return node;
}

/** Writes a rate with two digits that count. */
export function rate(perSecond) {
  if (perSecond === 0) return "0";
  if (perSecond < 9.95) return perSecond.toFixed(1);
  return perSecond.toLocaleString("en", { maximumFractionDigits: 0 });
}

export function milliseconds(ms) {
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`;
  return ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`;
}
