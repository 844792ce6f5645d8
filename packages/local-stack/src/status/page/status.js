/** Shows each snapshot of `/status/events`. */
import { createMap, milliseconds, rate } from "/status/map.js";

const byId = (id) => document.getElementById(id);
const showMap = createMap(byId("map"));
/** Requests a second, the newest last. */
const history = [];
const MAX_HISTORY = 60;
const SILENT_MS = 4_000;

// A table that scrolls must be reachable by the keyboard.
for (const table of document.querySelectorAll(".table")) table.tabIndex = 0;

let late;
const source = new EventSource("/status/events");
source.onmessage = ({ data }) => {
  show(JSON.parse(data));
  setLive(true);
  clearTimeout(late);
  late = setTimeout(setLive, SILENT_MS, false);
};

function setLive(isLive) {
  const element = byId("live");
  const text = isLive ? "live" : "no reply";
  if (element.textContent !== text) element.textContent = text;
  element.classList.toggle("on", isLive);
}

function show(snapshot) {
  const { programs, calls, operations, outboxes, consumers, parked, nats, process } = snapshot;
  const gateway = programs.find(({ name }) => name === "gateway");
  setFigure("rate", rate(gateway.perSecond), "/s");
  setFigure("errors", rate(gateway.errorsPerSecond), "/s", gateway.errorsPerSecond > 0);
  setFigure("p99", ...amountOf(gateway.p99Ms));
  setFigure("in-flight", String(gateway.inFlight), "");
  setFigure("cores", process.cores.toFixed(1), "cores");
  setFigure("loop", ...amountOf(process.eventLoopP99Ms), process.eventLoopP99Ms > 200);
  drawHistory(gateway.perSecond);
  showMap(snapshot);
  showConditions(programs);
  const failing = ({ errorsPerSecond }) => (errorsPerSecond > 0 ? "n bad" : "n");
  byId("calls").replaceChildren(
    ...calls.map((call) =>
      row(
        [call.from],
        [call.to],
        [`${rate(call.perSecond)}/s`, "n"],
        [`${rate(call.errorsPerSecond)}/s`, failing(call)],
        [p99Of(call), "n"],
      ),
    ),
  );
  byId("operations").replaceChildren(
    ...(operations.length === 0
      ? [row(["No request in the last 10 seconds", "soft"])]
      : operations.map((operation) =>
          row(
            [breakable(operation.name), "operation"],
            [operation.program, "program"],
            [`${rate(operation.perSecond)}/s`, "n"],
            [`${rate(operation.errorsPerSecond)}/s`, failing(operation)],
            [p99Of(operation), "n"],
          ),
        )),
  );
  showEvents({ outboxes, consumers, parked, nats });
}

function showEvents({ outboxes, consumers, parked, nats }) {
  const badge = byId("nats");
  badge.textContent = nats === "in process" ? "within the process" : `NATS ${nats}`;
  badge.className = `badge ${nats === "connected" ? "good" : nats === "in process" ? "soft" : "bad"}`;
  byId("outboxes").replaceChildren(
    ...outboxes.map(({ service, rows, seconds, publishedPerSecond }) =>
      item(
        service,
        rows === 0
          ? `${rate(publishedPerSecond)}/s, none waits`
          : `${rate(publishedPerSecond)}/s, ${rows} wait, ${seconds.toFixed(0)} s`,
        seconds > 5 ? "bad" : rows > 0 ? "warn" : "",
      ),
    ),
  );
  byId("consumers").replaceChildren(
    ...consumers.map(({ consumer, type, lag, appliedPerSecond }) => {
      const waits = lag === null ? "lag unknown" : lag === 0 ? "none waits" : `${lag} wait`;
      return item(
        `${type.split(".").at(-1)} → ${consumer}`,
        `${rate(appliedPerSecond)}/s, ${waits}`,
        lag > 1000 ? "bad" : lag > 0 ? "warn" : "",
      );
    }),
  );
  byId("parked").replaceChildren(
    ...(parked.length === 0
      ? [item("none", "", "")]
      : parked.map(({ consumer, reason, rows }) => item(`${consumer}, ${reason}`, String(rows), "bad"))),
  );
}

function showConditions(programs) {
  const lines = programs.flatMap(({ name, conditions }) => conditions.map((line) => `${name}: ${line}`));
  const list = byId("conditions");
  list.hidden = lines.length === 0;
  list.replaceChildren(...lines.map((line) => element("li", line)));
}

function drawHistory(perSecond) {
  history.push(perSecond);
  if (history.length > MAX_HISTORY) history.shift();
  const most = Math.max(1, ...history);
  const points = history.map((value, index) => {
    const x = 120 - (history.length - 1 - index) * (120 / Math.max(10, history.length - 1));
    return `${x.toFixed(1)} ${(26 - (value / most) * 23).toFixed(1)}`;
  });
  const line = `M${points.join(" L")}`;
  const first = points[0].split(" ")[0];
  byId("spark").querySelector(".stroke").setAttribute("d", line);
  byId("spark").querySelector(".area").setAttribute("d", `${line} L120 28 L${first} 28 Z`);
}

function setFigure(id, value, unit, isBad = false) {
  const target = byId(id);
  target.replaceChildren(value, " ", element("small", unit));
  target.classList.toggle("bad", isBad);
}

/** Lets a long name break behind its dots and slashes. */
const breakable = (name) => name.replaceAll(/[./](?=\w)/g, "$&\u200b");

/** Returns the amount and the unit of milliseconds. */
function amountOf(ms) {
  return ms === null ? ["–", ""] : milliseconds(ms).split(" ");
}

const p99Of = ({ p99Ms }) => (p99Ms === null ? "–" : milliseconds(p99Ms));

function element(name, text, className = "") {
  const node = document.createElement(name);
  node.textContent = text;
  node.className = className;
  return node;
}

function row(...cells) {
  const node = document.createElement("tr");
  node.append(...cells.map(([text, className]) => element("td", text, className)));
  return node;
}

function item(name, value, className) {
  const node = document.createElement("li");
  node.append(element("span", name), element("span", value, className));
  return node;
}
