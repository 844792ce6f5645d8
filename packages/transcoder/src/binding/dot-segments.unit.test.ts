import { describe, expect, test } from "@jest/globals";
import { type Behave, createLibrary, sendRaw, serveLibrary } from "../../test/serve-library.ts";
import type { TranscoderOptions } from "../transcoder-options.ts";

/** Returns a Request as runtimes and frameworks create it that do not parse the URL. */
function unparsed(url: string): Request {
  return Object.defineProperty(new Request("https://x.example/"), "url", { value: url });
}

interface Outcome {
  readonly status: number;
  readonly text: string;
  /** The message that the RPC has received. */
  readonly message: unknown;
}

const behave: Behave = async () => ({});

async function byFetch(target: string, options: Partial<TranscoderOptions>): Promise<Outcome> {
  const { transcoder, calls } = createLibrary(behave, options);
  const response = await transcoder.fetch(unparsed(`https://x.example${target}`));
  return { status: response.status, text: await response.text(), message: calls[0]?.message };
}

async function byNode(target: string, options: Partial<TranscoderOptions>): Promise<Outcome> {
  const library = await serveLibrary(behave, options);
  const reply = await sendRaw(library.port, `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  const outcome = { status: Number(reply.slice(9, 12)), text: reply, message: library.calls[0]?.message };
  await library.close();
  return outcome;
}

describe.each([
  ["fetch", byFetch],
  ["node:http", byNode],
])("a value of several segments, by %s,", (_name, send) => {
  test.each([
    ["/files/a/../../b", "path"],
    ["/files/%2e%2E", "path"],
    ["/files/.", "path"],
    ["/files/a/%2e/b?x", "path"],
    ["/files/..?x=1", "path"],
    ["/v1/shelves/../books/2", "name"],
    ["/v1/shelves/1/books/%2e.", "name"],
    ["/v1/shelves/./books", "parent"],
  ])("has no dots as segments: %s", async (target, name) => {
    const { status, text, message } = await send(target, {});
    expect([status, message]).toEqual([400, undefined]);
    expect(text).toContain(`"${name} must be without the segments . and .."`);
  });

  test.each([
    ["/files/a/../../b", "a/../../b"],
    ["/files/%2e%2E/c%20d", "../c d"],
  ])("has them if the options say so: %s", async (target, path) => {
    expect(await send(target, { binding: { dotSegments: "pass" } })).toMatchObject({ status: 200, message: { path } });
  });

  test.each([
    ["/files/a..b/.c/d./...", { path: "a..b/.c/d./..." }],
    ["/files/a%2F..%2Fb", { path: "a%2F..%2Fb" }],
    ["/files", { path: "" }],
    ["/v1/books/..", { name: ".." }],
    ["/v1/books/%2e", { name: "." }],
  ])("and one of a single segment, take other dots as data: %s", async (target, message) => {
    expect(await send(target, {})).toMatchObject({ status: 200, message });
  });
});

test.each([
  ["https://x.example/files/a%20b?x#f", 400],
  ["https://x.example/files/a#f?x", 200],
  ["https://x.example?x", 404],
  ["https://x.example", 404],
  ["/files/a", 200],
])("fetch takes the target from the URL as it is: %s", async (url, status) => {
  const { transcoder } = createLibrary(behave);
  expect((await transcoder.fetch(unparsed(url))).status).toBe(status);
});

test("the constructor of Request has removed them before", async () => {
  const { transcoder, calls } = createLibrary(behave);
  expect((await transcoder.fetch(new Request("https://x.example/files/a/../%2e%2e/files/b"))).status).toBe(200);
  expect(calls[0]?.message).toMatchObject({ path: "b" });
});
