import type { IncomingHttpHeaders } from "node:http";
import { connect, createServer as createHttp2Server, type Http2Server } from "node:http2";
import type { AddressInfo } from "node:net";
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterEach, describe, expect, test } from "@jest/globals";
import { BookSchema } from "../../test/gen/library/v1/library_pb.ts";
import { type Behave, createLibrary } from "../../test/serve-library.ts";
import type { TranscoderOptions } from "../transcoder-options.ts";

const BOOK = "/v1/shelves/1/books/2";
const WATCH = "/v1/shelves/1/books:watch";
const behave: Behave = async ({ method }) => {
  if (method !== "WatchBooks") return { message: create(BookSchema, { title: "ä" }), headers: { etag: '"1"' } };
  return { messages: broken() };
};
async function* broken() {
  yield create(BookSchema, { title: "a" });
  throw new ConnectError("no more", Code.DataLoss);
}

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly isCut: boolean;
}

type Send = (method: string, path: string, headers?: Record<string, string>, body?: string) => Promise<Reply>;

const closing: (() => Promise<unknown>)[] = [];
afterEach(() => Promise.all(closing.splice(0).map((close) => close())));

async function overHttp2(options: Partial<TranscoderOptions>): Promise<Send> {
  const server: Http2Server = createHttp2Server(createLibrary(behave, options).transcoder.listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  closing.push(async () => {
    session.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return (method, path, headers = {}, body) =>
    new Promise((resolve) => {
      const stream = session.request(
        { ":method": method, ":path": path, ...headers },
        { endStream: body === undefined },
      );
      let received: IncomingHttpHeaders & { ":status"?: number | undefined } = {};
      let text = "";
      stream.setEncoding("utf8");
      stream.on("response", (fields) => {
        received = fields;
      });
      stream.on("data", (chunk) => {
        text += chunk;
      });
      stream.on("error", () => {});
      stream.on("close", () =>
        resolve({ status: received[":status"] ?? 0, headers: received, text, isCut: stream.rstCode !== 0 }),
      );
      if (body !== undefined) stream.end(body);
    });
}

async function byFetch(options: Partial<TranscoderOptions>): Promise<Send> {
  const { fetch: handle } = createLibrary(behave, options).transcoder;
  return async (method, path, headers = {}, body) => {
    const response = await handle(new Request(`https://x.example${path}`, { method, headers, body: body ?? null }));
    let text = "";
    let isCut = false;
    try {
      for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString();
    } catch {
      isCut = true;
    }
    return { status: response.status, headers: Object.fromEntries(response.headers), text, isCut };
  };
}

describe.each([
  ["node:http2", overHttp2],
  ["fetch", byFetch],
])("by %s", (_name, start) => {
  test("a reply has status, headers and body", async () => {
    const reply = await (await start({}))("GET", BOOK);
    expect(reply).toMatchObject({ status: 200, text: '{"title":"ä"}', isCut: false });
    expect(reply.headers).toMatchObject({ "content-type": "application/json", "content-length": "14", etag: '"1"' });
  });

  test("HEAD, OPTIONS and conditions are as by node:http", async () => {
    const sent = await start({});
    expect(await sent("HEAD", BOOK)).toMatchObject({ status: 200, text: "", headers: { "content-length": "14" } });
    expect(await sent("OPTIONS", BOOK)).toMatchObject({ status: 204, headers: { allow: "DELETE, GET, HEAD, PATCH" } });
    expect(await sent("GET", BOOK, { "if-none-match": '"1"' })).toMatchObject({ status: 304, text: "" });
  });

  test("a body is read, with and without a length", async () => {
    const sent = await start({});
    const type = { "content-type": "application/json" };
    expect((await sent("PATCH", BOOK, type, '{"title":"n"}')).status).toBe(200);
    expect((await sent("PATCH", BOOK, { ...type, "content-length": "13" }, '{"title":"n"}')).status).toBe(200);
    expect(JSON.parse((await sent("PATCH", BOOK, type, "{]")).text).message).toBe(
      "request body is not valid JSON: position 1",
    );
    expect((await sent("DELETE", BOOK, {}, "x")).status).toBe(400);
  });

  test("a body over the limit is refused, also while it is sent", async () => {
    const sent = await start({});
    const type = { "content-type": "application/json" };
    const large = " ".repeat(2 ** 20 + 1);
    expect((await sent("PATCH", BOOK, type, large)).status).toBe(413);
    expect((await sent("PATCH", BOOK, { ...type, "content-length": String(large.length) }, large)).status).toBe(413);
  });

  test("a stream is written as it comes, and cut after an error", async () => {
    const { status, text, isCut } = await (await start({}))("GET", WATCH, { accept: "application/x-ndjson" });
    expect([status, text, isCut]).toEqual([
      200,
      '{"title":"a"}\n{"error":{"code":15,"message":"no more","details":[]}}\n',
      true,
    ]);
  });

  test("a header that cannot be sent is omitted", async () => {
    const sent = await start({ hooks: { headers: () => ({ "X-Good": "1", Broken: "a\r\nb" }) } });
    const { status, headers } = await sent("GET", BOOK);
    expect([status, headers["x-good"], headers["broken"]]).toEqual([200, "1", undefined]);
  });
});

describe("by fetch", () => {
  const requestOf = (path: string, init?: RequestInit) => new Request(`https://x.example${path}`, init);

  test("an aborted request ends its call, and counts once", async () => {
    const responded: number[] = [];
    const untilAborted: Behave = ({ signal }) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))));
    const { transcoder, calls } = createLibrary(untilAborted, {
      hooks: { responded: (_, status) => void responded.push(status) },
    });
    const client = new AbortController();
    const response = transcoder.fetch(requestOf(BOOK, { signal: client.signal }));
    await new Promise<void>((resolve) => setImmediate(resolve));
    client.abort();
    expect((await response).status).toBe(500);
    expect([calls[0]?.signal.aborted, responded]).toEqual([true, [499]]);
  });

  test("a status that is none is 500", async () => {
    const { transcoder } = createLibrary(behave, { hooks: { status: () => 999 } });
    expect((await transcoder.fetch(requestOf(BOOK))).status).toBe(500);
  });

  test("a stream that is not read ends, and gives its place to another", async () => {
    const { transcoder, calls } = createLibrary(behave, { stream: { unreadMs: 5 }, maxStreams: 1 });
    const watched = await transcoder.fetch(requestOf(WATCH));
    const { signal } = calls[0] as { readonly signal: AbortSignal };
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
    await expect(watched.text()).rejects.toThrow("the response is not read");
    expect((await transcoder.fetch(requestOf(WATCH))).status).toBe(200);
  });
});
