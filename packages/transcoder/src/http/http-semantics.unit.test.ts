import { request } from "node:http";
import { create } from "@bufbuild/protobuf";
import { afterEach, describe, expect, test } from "@jest/globals";
import { BookSchema } from "../../test/gen/library/v1/library_pb.ts";
import { type Library, type LibraryReply, send, sendRaw, serveLibrary } from "../../test/serve-library.ts";
import type { TranscoderOptions } from "../transcoder-options.ts";

const BOOK = "/v1/shelves/1/books/2";
let library: Library | undefined;
afterEach(() => library?.close());

async function start(options: Partial<TranscoderOptions> = {}, reply: LibraryReply = {}): Promise<Library> {
  library = await serveLibrary(async () => reply, options);
  return library;
}

/** Sends a request with exactly these headers, and returns the bytes of the response. */
function exchange({ url }: Library, method: string, headers: Record<string, string>, path = BOOK) {
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; bytes: Buffer }>((resolve, reject) => {
    const sent = request(url + path, { method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) }),
      );
    });
    sent.on("error", reject).end();
  });
}

describe("OPTIONS", () => {
  test("names the methods of a path, and needs no rule", async () => {
    const { status, headers, text } = await send(await start(), "OPTIONS", BOOK);
    expect([status, headers.get("allow"), text]).toEqual([204, "DELETE, GET, HEAD, PATCH", ""]);
  });

  test("of an unknown path is 404, of the whole server 204", async () => {
    const { port, url } = await start();
    expect((await send({ url }, "OPTIONS", "/nowhere")).status).toBe(404);
    expect(await sendRaw(port, "OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")).toMatch(
      /^HTTP\/1\.1 204 /,
    );
  });

  test("is 405, if the options say so", async () => {
    expect((await send(await start({ optionsRequests: "refuse" }), "OPTIONS", BOOK)).status).toBe(405);
  });
});

describe("CORS", () => {
  const cors = {
    origins: ["https://app.example"],
    requestHeaders: ["Content-Type", "Authorization"],
    responseHeaders: ["ETag"],
    credentials: true,
  };
  const preflight = (origin: string, method = "PATCH") => ({ Origin: origin, "Access-Control-Request-Method": method });
  const corsOf = (headers: NodeJS.Dict<string | string[]>) =>
    Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith("access-control-")));

  test("allows the methods of the path to a page of a known origin", async () => {
    const { status, headers } = await exchange(await start({ cors }), "OPTIONS", preflight("https://app.example"));
    expect([status, corsOf(headers), headers["vary"]]).toEqual([
      204,
      {
        "access-control-allow-origin": "https://app.example",
        "access-control-allow-credentials": "true",
        "access-control-expose-headers": "ETag",
        "access-control-allow-methods": "DELETE, GET, HEAD, PATCH",
        "access-control-allow-headers": "Content-Type, Authorization",
        "access-control-max-age": "600",
      },
      "Access-Control-Request-Method, Access-Control-Request-Headers, Origin",
    ]);
  });

  test.each(["https://evil.example", "https://app.example.evil", "null", "HTTPS://APP.EXAMPLE"])(
    "allows nothing to %s, and no cache mixes it up",
    async (origin) => {
      const served = await start({ cors });
      for (const method of ["OPTIONS", "GET"]) {
        const { headers } = await exchange(served, method, preflight(origin));
        expect([corsOf(headers), headers["vary"]]).toEqual([{}, "Origin"]);
      }
    },
  );

  test("lets a page read a response, and an error", async () => {
    const served = await start({ cors });
    for (const [method, status] of [
      ["GET", 200],
      ["PUT", 405],
    ] as const) {
      const response = await exchange(served, method, { Origin: "https://app.example" });
      expect(response.status).toBe(status);
      expect(response.headers["access-control-allow-origin"]).toBe("https://app.example");
    }
  });

  test("for all origins depends on none, and excludes credentials", async () => {
    const { headers } = await exchange(await start({ cors: { origins: "*" } }), "GET", {
      Origin: "https://any.example",
    });
    expect([headers["access-control-allow-origin"], headers["vary"]]).toEqual(["*", undefined]);
    await expect(start({ cors: { origins: "*", credentials: true } })).rejects.toThrow(
      "CORS: credentials need a list of origins",
    );
  });

  test("is absent without the option", async () => {
    const { headers } = await exchange(await start(), "OPTIONS", preflight("https://app.example"));
    expect([corsOf(headers), headers["vary"]]).toEqual([{}, undefined]);
  });
});

describe("If-None-Match", () => {
  const tagged = {
    message: create(BookSchema, { title: "t" }),
    headers: { etag: '"a,b"', "cache-control": "private" },
  };

  test.each(['"a,b"', 'W/"a,b"', '"x", "a,b"', "*"])("%s is 304 without a body", async (tag) => {
    const { status, headers, bytes } = await exchange(await start({}, tagged), "GET", { "If-None-Match": tag });
    expect([status, headers["etag"], headers["cache-control"], headers["content-type"], bytes.length]).toEqual([
      304,
      '"a,b"',
      "private",
      undefined,
      0,
    ]);
  });

  test.each(['"a"', '"b"', "a,b", '"x"'])("%s is 200", async (tag) => {
    expect((await exchange(await start({}, tagged), "GET", { "If-None-Match": tag })).status).toBe(200);
  });

  test("is compared with an ETag in any spelling", async () => {
    const served = await start({ passBack: ["etag"] }, tagged);
    expect((await exchange(served, "GET", { "If-None-Match": '"a,b"' })).status).toBe(304);
  });

  test("and If-Match reach the RPC", async () => {
    const served = await start();
    await exchange(served, "GET", { "If-None-Match": '"1"', "If-Match": '"2"' });
    expect(served.calls[0]?.headers).toEqual({ "if-none-match": '"1"', "if-match": '"2"' });
  });
});
