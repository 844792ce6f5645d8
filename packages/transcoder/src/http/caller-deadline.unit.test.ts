import { create } from "@bufbuild/protobuf";
import { afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { BookSchema } from "../../test/gen/library/v1/library_pb.ts";
import { json, type Library, send, serveLibrary } from "../../test/serve-library.ts";
import type { TranscoderOptions } from "../transcoder-options.ts";

const BOOK = "/v1/shelves/1/books/2";
let library: Library;
const start = async (options: Partial<TranscoderOptions> = {}) => {
  await library?.close();
  const message = create(BookSchema, { name: "shelves/1/books/2", title: "ä" });
  library = await serveLibrary(async () => ({ message }), options);
};
beforeEach(() => start());
afterEach(async () => {
  jest.restoreAllMocks();
  await library.close();
});

describe("the deadline of a call", () => {
  /** 200 ms pass between the arrival of a request and its call. */
  const startLate = () => {
    const clock = jest.spyOn(performance, "now").mockReturnValue(1_000);
    return start({ hooks: { matched: () => void clock.mockReturnValue(1_200) } });
  };

  test.each([
    ["grpc-timeout", "50S", 10_000],
    ["grpc-timeout", "2S", 1_800],
    ["grpc-timeout", "1500m", 1_300],
    ["connect-timeout-ms", "700", 500],
  ])("is what is left of %s: %s, at most that of the options", async (name, value, left) => {
    await startLate();
    await send(library, "GET", BOOK, { headers: { [name]: value } });
    expect(library.calls[0]?.timeoutMs).toBe(left);
  });

  test("is the shorter of two", async () => {
    await startLate();
    await send(library, "GET", BOOK, { headers: { "grpc-timeout": "9S", "connect-timeout-ms": "800" } });
    expect(library.calls[0]?.timeoutMs).toBe(600);
  });

  test("that has passed before the call is 504 without one", async () => {
    const { status, text } = await send(library, "GET", BOOK, { headers: { "grpc-timeout": "1n" } });
    expect([status, JSON.parse(text)]).toEqual([
      504,
      { code: 4, message: "the caller's deadline has passed", details: [] },
    ]);
    expect(library.calls).toEqual([]);
  });

  test("is that of the options, if they ignore the caller's", async () => {
    await start({ callerDeadlines: "ignore", deadlineMs: 1_234 });
    await send(library, "GET", BOOK, { headers: { "grpc-timeout": "nonsense" } });
    expect(library.calls[0]?.timeoutMs).toBe(1_234);
  });

  test("and the limits are the method's own, where it has any", async () => {
    await start({
      settings: ({ name }) => (name === "GetBook" ? { deadlineMs: 5, json: { defaults: "write" } } : { bodyLimit: 1 }),
    });
    const { text } = await send(library, "GET", BOOK);
    expect([library.calls[0]?.timeoutMs, JSON.parse(text).authors]).toEqual([5, []]);
    expect((await send(library, "PATCH", BOOK, json("{}"))).status).toBe(413);
  });
});
