import { create } from "@bufbuild/protobuf";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { HttpBodySchema } from "../../test/gen/google/api/httpbody_pb.ts";
import { CoverSchema } from "../../test/gen/library/v1/media_pb.ts";
import { type Behave, type Library, send, serveLibrary } from "../../test/serve-library.ts";

const COVER = "/v1/shelves/1/books/2/cover";
const BYTES = Uint8Array.from({ length: 256 }, (_, byte) => byte);
let library: Library;
let behave: Behave;
beforeEach(async () => {
  behave = async () => ({});
  library = await serveLibrary((call) => behave(call), { bodyLimit: 1_000, answerLimit: 1_000 });
});
afterEach(() => library.close());

const raw = (body: Uint8Array, type?: string) => ({
  body: new Uint8Array(body),
  headers: type === undefined ? {} : { "content-type": type },
});

describe("the body of a request", () => {
  test("becomes a field that is an HttpBody, whatever it contains", async () => {
    await send(library, "PUT", `${COVER}?note=n`, raw(BYTES, "image/png; a=b"));
    expect(library.calls[0]?.message).toMatchObject({
      name: "shelves/1/books/2",
      note: "n",
      cover: { contentType: "image/png; a=b", data: BYTES },
    });
  });

  test("becomes the whole message", async () => {
    await send(library, "POST", "/v1/books:scan", raw(BYTES, "application/json"));
    expect(library.calls[0]?.message).toMatchObject({ contentType: "application/json", data: BYTES });
  });

  test("is absent without bytes and type, and empty with a type", async () => {
    await send(library, "PUT", COVER);
    await send(library, "PUT", COVER, raw(new Uint8Array(), "text/plain"));
    expect(library.calls.map(({ message }) => Reflect.get(message, "cover"))).toMatchObject([
      undefined,
      { contentType: "text/plain", data: new Uint8Array() },
    ]);
  });

  test("leaves what the path binds", async () => {
    await send(library, "PUT", `${COVER}/image%2Fgif`, raw(BYTES, "image/png"));
    expect(library.calls[0]?.message).toMatchObject({ cover: { contentType: "image/gif", data: BYTES } });
  });

  test.each([
    [`${COVER}?cover.content_type=x`, 10, 400, "cover.contentType must be in the body"],
    [`${COVER}?cover=x`, 10, 400, "cover must be in the body"],
    [COVER, 1_001, 413, "request body is too large"],
  ])("of %s with %d bytes is refused", async (path, size, status, message) => {
    const reply = await send(library, "PUT", path, raw(new Uint8Array(size)));
    expect([reply.status, JSON.parse(reply.text).message]).toEqual([status, message]);
    expect(library.calls).toEqual([]);
  });
});

describe("the body of a response", () => {
  const httpBody = (contentType: string, data = BYTES) => create(HttpBodySchema, { contentType, data });

  test("is the bytes of an HttpBody, with its type, which browsers believe", async () => {
    behave = async () => ({ message: httpBody("image/png") });
    const response = await fetch(library.url + COVER);
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(BYTES);
    expect(
      ["content-type", "content-length", "x-content-type-options"].map((name) => response.headers.get(name)),
    ).toEqual(["image/png", "256", "nosniff"]);
    expect((await send(library, "HEAD", COVER)).headers.get("content-length")).toBe("256");
  });

  test("is that of the response field; nothing if it is absent", async () => {
    behave = async () => ({ message: create(CoverSchema, { content: { contentType: "text/plain", data: BYTES } }) });
    expect((await send(library, "PUT", COVER)).headers.get("content-type")).toBe("text/plain");
    behave = async () => ({});
    const { status, headers, text } = await send(library, "PUT", COVER);
    expect([status, headers.get("content-type"), text]).toEqual([200, "application/octet-stream", ""]);
  });

  test.each(["", "text", "text/html\r\nX-Evil: 1", "a/b/c", "ä/b", "text/plain;\n"])(
    "of the type %j has none",
    async (type) => {
      behave = async () => ({ message: httpBody(type) });
      const { headers } = await send(library, "GET", COVER);
      expect([headers.get("content-type"), headers.get("x-evil")]).toEqual(["application/octet-stream", null]);
    },
  );

  test("over the limit is an error", async () => {
    behave = async () => ({ message: httpBody("text/plain", new Uint8Array(1_001)) });
    const { status, text } = await send(library, "GET", COVER);
    expect([status, JSON.parse(text).message]).toEqual([500, "the reply is too large"]);
  });
});
