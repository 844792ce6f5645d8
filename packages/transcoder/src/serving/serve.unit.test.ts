import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterEach, describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { BookSchema } from "../../test/gen/library/v1/library_pb.ts";
import { type Behave, json, send, sendRaw, serveLibrary } from "../../test/serve-library.ts";

const BOOK = "/v1/shelves/1/books/2";
const WATCH = "/v1/shelves/1/books:watch";
const behave: Behave = async ({ method }) =>
  method === "WatchBooks" ? { messages: books() } : { message: create(BookSchema, { title: "ä" }) };
async function* books() {
  yield create(BookSchema, { title: "a" });
}

const closing: (() => Promise<unknown>)[] = [];
afterEach(() => Promise.all(closing.splice(0).map((close) => close())));

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
