import { type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { connect, createServer as createHttp2Server } from "node:http2";
import type { AddressInfo } from "node:net";
import { create, type Message } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterEach, describe, expect, test } from "@jest/globals";
import type { TranscoderOptions } from "../src/transcoder-options.ts";
import { BookSchema } from "./gen/library/v1/library_pb.ts";
import { type Behave, createLibrary, type Library, sendRaw, serveLibrary } from "./serve-library.ts";

const WATCH = "/v1/shelves/1/books:watch";
const BOOK = '[\n{"title":"a"}\n]\n';
const trailers = { "x-cost": "3", "x-secret": "4", etag: '"2"', "cache-control": "no-store" };
const passBack = ["X-Cost", "ETag", "Cache-Control", "X-Other"];
const behave: Behave = async () => ({ messages: one(), headers: { etag: '"1"' }, trailers });

async function* one() {
  yield create(BookSchema, { title: "a" });
}

async function* broken(): AsyncGenerator<Message> {
  yield* one();
  throw new ConnectError("no more", Code.DataLoss);
}

const closing: (() => Promise<unknown>)[] = [];
afterEach(() => Promise.all(closing.splice(0).map((close) => close())));

async function start(options: Partial<TranscoderOptions> = { passBack }, behaviour = behave): Promise<Library> {
  const library = await serveLibrary(behaviour, options);
  closing.push(() => library.close());
  return library;
}

/** Reads a response over HTTP/1.1 to its end, or until it is cut. */
function read({ url }: Library, method = "GET", path = WATCH) {
  return new Promise<{ response: IncomingMessage; text: string }>((resolve, reject) => {
    const sent = request(url + path, { method }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
      });
      response.on("error", () => {}).on("close", () => resolve({ response, text }));
    });
    sent.on("error", reject).end();
  });
}

describe("the trailers of a stream", () => {
  test("that are passed back are trailers of the response over HTTP/1.1, announced by its head", async () => {
    const { response, text } = await read(await start());
    expect([text, response.complete]).toEqual([BOOK, true]);
    expect([response.headers.trailer, response.headers.etag]).toEqual(["X-Cost, ETag, X-Other", '"1"']);
    expect(response.trailers).toEqual({ "x-cost": "3", etag: '"2"' });
  });

  test("and over HTTP/2", async () => {
    const server = createHttp2Server(createLibrary(behave, { passBack }).transcoder.listener);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    closing.push(async () => {
      session.destroy();
      await new Promise((resolve) => server.close(resolve));
    });
    const stream = session.request({ ":path": WATCH });
    const head = new Promise<IncomingHttpHeaders>((resolve) => stream.on("response", resolve));
    const tail = new Promise<IncomingHttpHeaders>((resolve) => stream.on("trailers", resolve));
    let text = "";
    for await (const chunk of stream.setEncoding("utf8")) text += chunk;
    expect([text, (await head)["trailer"]]).toEqual([BOOK, "X-Cost, ETag, X-Other"]);
    expect(Object.entries(await tail)).toEqual([
      ["x-cost", "3"],
      ["etag", '"2"'],
    ]);
  });

  test("are none without a name that may be a trailer", async () => {
    for (const names of [[], ["Cache-Control", "last-modified", "Set-Cookie", "WWW-Authenticate"]]) {
      const { response, text } = await read(await start({ passBack: names }));
      expect([text, response.headers.trailer, response.trailers]).toEqual([BOOK, undefined, {}]);
    }
  });

  test("do not follow a body that is cut", async () => {
    const { response } = await read(await start({ passBack }, async () => ({ messages: broken(), trailers })));
    expect([response.complete, response.trailers]).toEqual([false, {}]);
  });

  test("follow a body without messages", async () => {
    const { response, text } = await read(await start({ passBack }, async () => ({ trailers })));
    expect([text, response.trailers]).toEqual(["[\n]\n", { "x-cost": "3", etag: '"2"' }]);
  });

  test("are not announced where there are none: to HEAD, over HTTP/1.0, without a body, and by fetch", async () => {
    const library = await start();
    const { response } = await read(library, "HEAD");
    expect([response.statusCode, response.headers.trailer]).toEqual([200, undefined]);
    const text = await sendRaw(library.port, `GET ${WATCH} HTTP/1.0\r\n\r\n`);
    expect([text.endsWith(`\r\n\r\n${BOOK}`), /^(?:trailer|x-cost)/im.test(text)]).toEqual([true, false]);
    const empty = await read(await start({ passBack, hooks: { status: () => 204 } }));
    expect([empty.response.statusCode, empty.response.headers.trailer, empty.text]).toEqual([204, undefined, ""]);
    const fetched = await library.transcoder.fetch(new Request(`http://x.example${WATCH}`));
    expect([fetched.headers.get("trailer"), await fetched.text()]).toEqual([null, BOOK]);
  });
});

test("those of a unary call are headers", async () => {
  const { response } = await read(
    await start({ passBack }, async () => ({ message: create(BookSchema), trailers })),
    "GET",
    "/v1/shelves/1/books/2",
  );
  expect([response.headers["x-cost"], response.headers["cache-control"], response.headers.trailer]).toEqual([
    "3",
    "no-store",
    undefined,
  ]);
});
