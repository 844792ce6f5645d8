import { gzipSync } from "node:zlib";
import { expect, test } from "@jest/globals";
import { callerDeadline } from "../src/http/caller-deadline.ts";
import type { HttpRequest } from "../src/http/messages.ts";
import { decodeBody, encodingOf, readWeights, requireJson } from "../src/http/negotiation.ts";
import { applyConditions } from "../src/http/write-response.ts";
import { linearGrowth, minCpu } from "../testing/index.ts";

/** Bytes; the headers of a request have 16 KiB with the limit of Node. */
const SIZES = { small: 32 * 1024, large: 512 * 1024 };
const BUDGET_MS = 50;

const attempt = (act: () => unknown) => {
  try {
    act();
  } catch {
    // A refusal costs what it costs.
  }
};
const type = (value: string) => attempt(() => requireJson({ "content-type": value }, "POST", "suffix"));
const conditionsOf = (value: string) =>
  applyConditions({ method: "GET", headers: { "if-none-match": value } } as HttpRequest, {
    status: 200,
    headers: { ETag: '"x"' },
    body: "",
  });

test.each<[string, (bytes: number) => void]>([
  ["a type of plus signs", (bytes) => type(`a/${"+".repeat(bytes)}json`)],
  ["a type of slashes", (bytes) => type("/".repeat(bytes))],
  ["spaces before a charset", (bytes) => type(`application/json;${" ".repeat(bytes)}charset = x`)],
  ["a charset of spaces", (bytes) => type(`application/json;charset=${" ".repeat(bytes)}x`)],
  ["parameters of a type", (bytes) => type(`application/json${";a=b".repeat(bytes / 4)}`)],
  ["encodings", (bytes) => attempt(() => encodingOf({ "content-encoding": "gzip, ".repeat(bytes / 6) }, ["gzip"]))],
  ["ranges of Accept", (bytes) => void readWeights("a/b;q=1,".repeat(bytes / 8))("a/b")],
  ["quotes of If-None-Match", (bytes) => void conditionsOf('"'.repeat(bytes))],
  ["a tag without an end", (bytes) => void conditionsOf(`"${"a".repeat(bytes)}`)],
  ["tags", (bytes) => void conditionsOf('"a", '.repeat(bytes / 5))],
  ["digits of a deadline", (bytes) => attempt(() => callerDeadline({ "grpc-timeout": "1".repeat(bytes) }))],
])("%s take linear time", async (_name, work) => {
  expect(await linearGrowth(work, SIZES, BUDGET_MS)).toBeDefined();
});

test("a body that decodes to a thousand times its size costs no more than one of 100 times", async () => {
  const limits = { size: 2 ** 26, ratio: 100 };
  const bomb = gzipSync(Buffer.alloc(2 ** 26));
  const plain = Buffer.alloc(bomb.length);
  const cpu = await minCpu(() => decodeBody(bomb, "gzip", limits).catch(() => plain));
  // Control: without the limit, all of it is decoded.
  const control = await minCpu(() => decodeBody(bomb, "gzip", { ...limits, ratio: Number.POSITIVE_INFINITY }));
  expect(cpu).toBeLessThan(control / 3);
});
