import type { Message } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterEach, describe, expect, test } from "@jest/globals";
import { A, B, book, RETRY, readStream, twoBooks } from "../../test/read-stream.ts";
import { type Call, type Library, serveLibrary } from "../../test/serve-library.ts";
import type { TranscoderOptions } from "../transcoder-options.ts";

let library: Library;
afterEach(() => library.close());

async function start(
  messages: (call: Call) => AsyncIterable<Message>,
  options: Partial<TranscoderOptions> = {},
): Promise<Library> {
  library = await serveLibrary(async (call) => ({ messages: messages(call), headers: { etag: '"1"' } }), options);
  return library;
}

const read = (accept: string | undefined, onData?: (text: string) => void) => readStream(library.url, accept, onData);

async function* broken(count: number) {
  for (let index = 0; index < count; index++) yield book(String(index));
  throw new ConnectError("no more", Code.DataLoss);
}

describe("a stream", () => {
  test.each<[string | undefined, string, string]>([
    [undefined, "application/json", `[\n${A},\n${B}\n]\n`],
    ["*/*", "application/json", `[\n${A},\n${B}\n]\n`],
    ["application/*", "application/json", `[\n${A},\n${B}\n]\n`],
    ["text/html", "application/json", `[\n${A},\n${B}\n]\n`],
    ["application/x-ndjson", "application/x-ndjson", `${A}\n${B}\n`],
    ["application/jsonl, */*", "application/x-ndjson", `${A}\n${B}\n`],
    ["application/json;q=0.5, application/ndjson", "application/x-ndjson", `${A}\n${B}\n`],
    ["text/event-stream", "text/event-stream", `${RETRY}data: ${A}\n\ndata: ${B}\n\nevent: end\ndata: {}\n\n`],
    [
      "text/*, application/json;q=0.1",
      "text/event-stream",
      `${RETRY}data: ${A}\n\ndata: ${B}\n\nevent: end\ndata: {}\n\n`,
    ],
  ])("by Accept: %s is %s", async (accept, type, text) => {
    await start(twoBooks);
    expect(await read(accept)).toEqual({ status: 200, type, text, isWhole: true });
  });
});

describe("an error", () => {
  test("before the first message decides the status", async () => {
    await start(() => broken(0));
    const { status, text } = await read("text/event-stream");
    expect([status, JSON.parse(text)]).toEqual([500, { code: 15, message: "no more", details: [] }]);
  });

  const error = '{"code":15,"message":"no more","details":[]}';
  test.each([
    ["application/json", `[\n{"title":"0"},\n{"title":"1"},\n{"error":${error}}`],
    ["application/x-ndjson", `{"title":"0"}\n{"title":"1"}\n{"error":${error}}\n`],
    ["text/event-stream", `${RETRY}data: {"title":"0"}\n\ndata: {"title":"1"}\n\nevent: error\ndata: ${error}\n\n`],
  ])("after it is the last record of %s, and the body is cut", async (accept, text) => {
    await start(() => broken(2));
    expect(await read(accept)).toEqual({ status: 200, type: accept, text, isWhole: false });
  });

  test("of a message that is too large, too", async () => {
    const messages = async function* () {
      yield book("a");
      yield book("x".repeat(100));
    };
    await start(messages, { answerLimit: 50 });
    const { text, isWhole } = await read("application/x-ndjson");
    expect([text, isWhole]).toEqual([
      `${A}\n{"error":{"code":13,"message":"the reply is too large","details":[]}}\n`,
      false,
    ]);
  });

  test("is that of the hook", async () => {
    const reply = { status: 418, headers: {}, body: '"own"' };
    await start(() => broken(1), { hooks: { error: () => reply } });
    expect((await read("application/x-ndjson")).text).toBe('{"title":"0"}\n{"error":"own"}\n');
    const hooks = { error: () => Promise.reject(new Error("hook")) };
    await library.close();
    await start(() => broken(1), { hooks });
    expect(await read("application/x-ndjson")).toMatchObject({
      text: '{"title":"0"}\n{"error":null}\n',
      isWhole: false,
    });
  });
});

describe("server-sent events", () => {
  const event = (message: Message) => {
    const { title } = message as Message & { title: string };
    if (title === "!") return { name: title };
    return title.startsWith("#") ? { id: title, isMark: true } : title === "" ? { isMark: true } : { id: `${title}\n` };
  };
  const marked = async function* () {
    yield book("#1");
    yield book("a");
    yield book("");
    yield book("!");
  };

  test.each([
    [
      "text/event-stream",
      `${RETRY}id: #1\n\nid: a\ndata: ${A}\n\n:\n\nevent: !\ndata: {"title":"!"}\n\nevent: end\ndata: {}\n\n`,
    ],
    ["application/x-ndjson", `{"title":"#1"}\n${A}\n\n{"title":"!"}\n`],
    ["application/json", `[\n{"title":"#1"},\n${A}\n,\n{"title":"!"}\n]\n`],
  ])("have ids, names, and marks that are no records: %s", async (accept, text) => {
    await start(marked, { stream: { event } });
    expect(await read(accept)).toMatchObject({ text, isWhole: true });
  });

  test.each<[string | undefined, string]>([
    [undefined, "text/event-stream"],
    ["*/*", "text/event-stream"],
    ["text/html", "text/event-stream"],
    ["application/json", "application/json"],
  ])("may be what a client gets that accepts all: %s is %s", async (accept, type) => {
    await start(twoBooks, { stream: { format: "text/event-stream" } });
    expect((await read(accept)).type).toBe(type);
  });
});
