import { randomUUID } from "node:crypto";
import { expect, test } from "@jest/globals";
import { Registry } from "prom-client";
import { type Access, createAccessLog, isSampled } from "./access-log.ts";

const ACCESS: Omit<Access, "correlation"> = {
  route: "GET /x/{id}",
  caller: "u",
  status: 200,
  code: "OK",
  ms: 1.23456,
  bytes: 7,
};
const request = (requestId: string) => ({ requestId, traceparent: "", tracestate: "" });

function startLog(sample: number, level = "info") {
  const lines: string[] = [];
  const metrics = new Registry();
  const clock = { now: 0 };
  const destination = { write: (line: string) => void lines.push(line) };
  const options = { base: { service: "test" }, level, sample, destination, metrics, now: () => clock.now };
  const access = createAccessLog(options);
  const writeMany = (count: number, status: number) => {
    for (let index = 0; index < count; index++) {
      access.write({ ...ACCESS, status, correlation: request(randomUUID()) });
    }
    return lines.splice(0).length;
  };
  const omitted = async () =>
    (await metrics.getMetricsAsJSON()).flatMap(({ values }) =>
      values.map(({ labels, value }) => [labels["kind"], value] as const),
    );
  return { access, lines, clock, writeMany, omitted };
}

test("a line has the fields by which a story is found, and no others", () => {
  const { access, lines } = startLog(1);
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  access.write({ ...ACCESS, correlation: { ...request("r"), traceparent, tracestate: "secret=1" } });
  const { time, ...line } = JSON.parse(lines[0] ?? "");
  expect(time).toEqual(expect.any(Number));
  expect(line).toEqual({
    level: "info",
    service: "test",
    requestId: "r",
    traceId: "0af7651916cd43dd8448eb211c80319c",
    route: "GET /x/{id}",
    caller: "u",
    status: 200,
    code: "OK",
    ms: 1.23,
    bytes: 7,
    msg: "request",
  });
});

test("a share of the successes, and each error, has a line", () => {
  const { writeMany } = startLog(0.1);
  const successes = writeMany(10_000, 200);
  expect(successes).toBeGreaterThan(800);
  expect(successes).toBeLessThan(1_200);
  expect([writeMany(50, 404), writeMany(50, 503)]).toEqual([50, 50]);
  const { writeMany: writeNone } = startLog(0);
  expect([writeNone(100, 200), writeNone(50, 400)]).toEqual([0, 50]);
});

test("a flood of errors has a bound of lines each second, and the others are counted", async () => {
  const { writeMany, clock, omitted } = startLog(0);
  expect([writeMany(5_000, 401), writeMany(5_000, 503)]).toEqual([100, 1_000]);
  clock.now = 1_000;
  expect([writeMany(5_000, 401), writeMany(1, 500)]).toEqual([100, 1]);
  expect(new Map(await omitted())).toEqual(
    new Map([
      ["refusal", 9_800],
      ["fault", 4_000],
    ]),
  );
});

test("there is no line below the level of the log", () => {
  expect(startLog(1, "warn").writeMany(10, 500)).toBe(0);
});

test("all programs select the same requests, also of clients that count theirs", () => {
  const ids = Array.from({ length: 10_000 }, (_, index) => `request-${index}`);
  const selected = ids.filter((id) => isSampled(id, 0.01));
  expect(selected.length).toBeGreaterThan(60);
  expect(selected.length).toBeLessThan(140);
  expect(selected.every((id) => isSampled(id, 0.01) && isSampled(id, 0.5))).toBe(true);
});
