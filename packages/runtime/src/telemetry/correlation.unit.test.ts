import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, test } from "@jest/globals";
import { correlate, correlationFrom, currentCorrelation, joinCorrelations } from "./correlation.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const TRACE = "0af7651916cd43dd8448eb211c80319c";
const SPAN = "b7ad6b7169203331";
const TRACEPARENT = `00-${TRACE}-${SPAN}-01`;

test.each([undefined, "", "a b", "a\u0000", "ä", "x".repeat(129), `a-cst_${"a".repeat(43)}`, ["a", "b"]])(
  "the id %j is replaced by a UUID",
  (id) => {
    expect(correlationFrom({ "x-request-id": id }).requestId).toMatch(UUID);
  },
);

test("an id as sent, the trace and its state are kept", () => {
  const headers = { "x-request-id": "x-1/2", traceparent: TRACEPARENT, tracestate: "a=b" };
  expect(correlationFrom(headers)).toEqual({ requestId: "x-1/2", traceparent: TRACEPARENT, tracestate: "a=b" });
});

describe("a traceparent", () => {
  test.each([
    ["is no such thing", "token"],
    ["has upper case", TRACEPARENT.toUpperCase()],
    ["has a trace id of zeros", `00-${"0".repeat(32)}-${SPAN}-01`],
    ["has a parent id of zeros", `00-${TRACE}-${"0".repeat(16)}-01`],
    ["has the version ff", `ff-${TRACE}-${SPAN}-01`],
    ["is longer than version 00", `${TRACEPARENT}-more`],
    ["is given twice", `${TRACEPARENT}, ${TRACEPARENT}`],
  ])("that %s counts as absent, and so does its state", (_, traceparent) => {
    expect(correlationFrom({ traceparent, tracestate: "a=b" })).toMatchObject({ traceparent: "", tracestate: "" });
  });

  test("of a later version is read as version 00", () => {
    expect(correlationFrom({ traceparent: `01-${TRACE}-${SPAN}-ff-what-it-adds` }).traceparent).toBe(TRACEPARENT);
  });

  test.each(["x".repeat(513), "a=\u0007", `a=cst_${"a".repeat(43)}`, ""])("keeps no state such as %j", (tracestate) => {
    expect(correlationFrom({ traceparent: TRACEPARENT, tracestate }).tracestate).toBe("");
  });
});

test("what is awaited runs for the same request, and what runs beside it for its own", async () => {
  const seen = async (requestId: string) =>
    await correlate({ requestId, traceparent: "", tracestate: "" }, async () => {
      await nextTurn();
      return currentCorrelation()?.requestId;
    });
  expect(await Promise.all([seen("a"), seen("b")])).toEqual(["a", "b"]);
  expect(currentCorrelation()).toBeUndefined();
});

describe("work that is shared", () => {
  const a = { requestId: "a", traceparent: TRACEPARENT, tracestate: "vendor=1" };
  const b = { requestId: "b", traceparent: "", tracestate: "" };
  const c = { requestId: "c", traceparent: "", tracestate: "" };

  test("by one request, or by none, has its id", () => {
    expect(joinCorrelations([a, undefined, a])).toBe(a);
    expect(joinCorrelations([undefined])).toBeUndefined();
  });

  test("by two has an id of its own and names them", () => {
    const joined = joinCorrelations([b, c]);
    expect(joined).toMatchObject({ traceparent: "", sharedBy: [b, c] });
    expect(joined?.requestId).toMatch(UUID);
  });

  test("belongs to the trace of the first that is sampled", () => {
    const unsampled = { ...c, traceparent: `00-${TRACE}-${SPAN}-00` };
    const { traceparent, tracestate } = joinCorrelations([unsampled, a, b]) ?? {};
    expect([traceparent, tracestate]).toEqual([TRACEPARENT, "vendor=1"]);
  });
});
