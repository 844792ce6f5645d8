import { createServer, type IncomingHttpHeaders } from "node:http";
import { connect, createServer as createHttp2Server, type Http2Server } from "node:http2";
import type { AddressInfo } from "node:net";
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterEach, describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { TranscoderOptions } from "../src/transcoder-options.ts";
import { BookSchema } from "./gen/library/v1/library_pb.ts";
import { type Behave, createLibrary, json, send, sendRaw, serveLibrary } from "./serve-library.ts";

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
  test("an aborted request ends its call, and a stream that is not read its own", async () => {
    const { transcoder, calls } = createLibrary(
      ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => reject(new Error("aborted")));
        }),
    );
    const client = new AbortController();
    const response = transcoder.fetch(new Request(`https://x.example${BOOK}`, { signal: client.signal }));
    await new Promise<void>((resolve) => setImmediate(resolve));
    client.abort();
    expect((await response).status).toBe(500);
    expect(calls[0]?.signal.aborted).toBe(true);

    const streams = createLibrary(behave, { stream: { unreadMs: 5 }, maxStreams: 1 });
    const watched = await streams.transcoder.fetch(new Request(`https://x.example${WATCH}`));
    const { signal } = streams.calls[0] as { readonly signal: AbortSignal };
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
    await expect(watched.text()).rejects.toThrow("the response is not read");
    expect((await streams.transcoder.fetch(new Request(`https://x.example${WATCH}`))).status).toBe(200);
  });
});

describe("hooks", () => {
  test("act in the order of a request, and can refuse it", async () => {
    const order: string[] = [];
    const library = await serveLibrary(behave, {
      hooks: {
        matched: ({ route }) => void order.push(`matched ${route?.method.name}`),
        largeBody: async () => void order.push("large"),
        bound: async () => void order.push("bound"),
        status: () => {
          order.push("status");
          return 202;
        },
        headers: () => {
          order.push("headers");
          return {};
        },
        responded: (_, status) => void order.push(`responded ${status}`),
      },
    });
    closing.push(() => library.close());
    const { status } = await send(library, "PATCH", BOOK, json(`{}${" ".repeat(20_000)}`));
    expect([status, order]).toEqual([
      202,
      ["matched UpdateBook", "large", "bound", "status", "headers", "responded 202"],
    ]);
  });

  test.each(["matched", "largeBody", "bound", "status", "headers"])("%s that throws is an error", async (name) => {
    const fail = () => {
      throw new ConnectError("no", Code.PermissionDenied);
    };
    const library = await serveLibrary(behave, { hooks: { [name]: fail } });
    closing.push(() => library.close());
    expect((await send(library, "PATCH", BOOK, json(`{}${" ".repeat(20_000)}`))).status).toBe(403);
  });

  test("error and responded that throw leave a response, and no rejection unhandled", async () => {
    const fail = () => {
      throw new Error("hook");
    };
    for (const error of [fail, async () => fail()]) {
      const library = await serveLibrary(behave, { hooks: { error, responded: fail } });
      closing.push(() => library.close());
      expect(await send(library, "GET", "/nowhere")).toMatchObject({ status: 500, text: "" });
      expect(await send(library, "PATCH", BOOK, json("{]"))).toMatchObject({ status: 500, text: "" });
    }
  });
});

test("no bytes crash the listener", async () => {
  const library = await serveLibrary(behave);
  closing.push(() => library.close());
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  process.on("unhandledRejection", note);
  const line = fc.constantFrom(
    `GET ${BOOK}`,
    `PATCH ${BOOK}`,
    `GET ${WATCH}`,
    "DELETE /v1/shelves/%ff/books/1",
    "OPTIONS *",
    `PUT ${BOOK}/cover?x=%`,
    "POST /v1/books:scan",
    "GET http://h",
  );
  const more = fc.constantFrom(
    "",
    "Content-Encoding: gzip\r\n",
    "Accept: text/event-stream\r\n",
    "Content-Type: a\r\n",
  );
  await fc.assert(
    fc.asyncProperty(
      line,
      more,
      fc.uint8Array({ maxLength: 200 }),
      fc.boolean(),
      async (start, header, bytes, framed) => {
        const length = framed ? `Connection: close\r\nContent-Length: ${bytes.length}\r\n` : "";
        const head = `${start} HTTP/1.1\r\nHost: x\r\n${header}${length}\r\n`;
        await sendRaw(library.port, Buffer.concat([Buffer.from(head), bytes]));
      },
    ),
    { numRuns: 150 },
  );
  expect((await send(library, "GET", BOOK)).status).toBe(200);
  process.off("unhandledRejection", note);
  expect(unhandled).toEqual([]);
});

test("the routes can be printed", () => {
  const { transcoder } = createLibrary(behave);
  expect(transcoder.routes.length).toBeGreaterThan(10);
  expect(createServer(transcoder.listener).listenerCount("request")).toBe(1);
});
