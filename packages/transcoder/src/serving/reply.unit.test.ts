import { type IncomingMessage, request } from "node:http";
import { create } from "@bufbuild/protobuf";
import { afterEach, expect, test } from "@jest/globals";
import { BookSchema } from "../../test/gen/library/v1/library_pb.ts";
import { type Behave, type Library, serveLibrary } from "../../test/serve-library.ts";
import type { TranscoderOptions } from "../transcoder-options.ts";

const WATCH = "/v1/shelves/1/books:watch";
const BOOK = '[\n{"title":"a"}\n]\n';
const trailers = { "x-cost": "3", "x-secret": "4", etag: '"2"', "cache-control": "no-store" };
const passBack = ["X-Cost", "ETag", "Cache-Control", "X-Other"];
const behave: Behave = async () => ({ messages: one(), headers: { etag: '"1"' }, trailers });

async function* one() {
  yield create(BookSchema, { title: "a" });
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

test("the trailers of a stream are dropped, its headers are passed back", async () => {
  const { response, text } = await read(await start());
  expect([text, response.headers.etag, response.headers.trailer, response.trailers]).toEqual([
    BOOK,
    '"1"',
    undefined,
    {},
  ]);
});

test("the trailers of a unary call are headers", async () => {
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
