import { create, createRegistry, toBinary } from "@bufbuild/protobuf";
import { AnySchema, anyPack, DurationSchema } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, test } from "@jest/globals";
import { BookSchema } from "../../test/gen/library/v1/library_pb.ts";
import { AnswerTooLarge } from "../json-out/render-json.ts";
import { renderError } from "./render-error.ts";
import { TranscodingError, type TranscodingErrorKind } from "./transcoding-error.ts";

const render = (error: unknown) => {
  const { status, headers, body = "" } = renderError(error, createRegistry(BookSchema, AnySchema));
  return { status, headers, body: JSON.parse(String(body)) };
};

/** An error as a client of Connect reads it from the wire. */
function received(code: Code, message: string, ...details: { type: string; value: Uint8Array }[]): ConnectError {
  const error = new ConnectError(message, code);
  error.details = details;
  return error;
}

describe("an error of an RPC has the status of its code, and keeps code and message", () => {
  test.each<[Code, number]>([
    [Code.Canceled, 499],
    [Code.Unknown, 500],
    [Code.InvalidArgument, 400],
    [Code.DeadlineExceeded, 504],
    [Code.NotFound, 404],
    [Code.AlreadyExists, 409],
    [Code.PermissionDenied, 403],
    [Code.ResourceExhausted, 429],
    [Code.FailedPrecondition, 400],
    [Code.Aborted, 409],
    [Code.OutOfRange, 400],
    [Code.Unimplemented, 501],
    [Code.Internal, 500],
    [Code.Unavailable, 503],
    [Code.DataLoss, 500],
  ])("%s: %s", (code, status) => {
    expect(render(received(code, 'no "ä" here'))).toEqual({
      status,
      headers: { "Content-Type": "application/json" },
      body: { code, message: 'no "ä" here', details: [] },
    });
  });

  test("16: 401, with WWW-Authenticate", () => {
    expect(render(received(Code.Unauthenticated, "who?"))).toMatchObject({
      status: 401,
      headers: { "WWW-Authenticate": "Bearer" },
      body: { code: 16, message: "who?" },
    });
  });

  test("that no version has: 500", () => {
    expect(render(received(99 as Code, "new"))).toMatchObject({ status: 500, body: { code: 99, message: "new" } });
  });
});

describe("a detail of an error is", () => {
  const detailsOf = (error: ConnectError) => render(error).body.details;
  const book = toBinary(BookSchema, create(BookSchema, { title: "a", pages: 5n }));

  test("the JSON of its type", () => {
    const error = received(Code.NotFound, "", { type: "library.v1.Book", value: book });
    expect(detailsOf(error)).toEqual([{ "@type": "type.googleapis.com/library.v1.Book", title: "a", pages: "5" }]);
    const any = toBinary(AnySchema, anyPack(BookSchema, create(BookSchema)));
    expect(detailsOf(received(Code.NotFound, "", { type: "google.protobuf.Any", value: any }))).toEqual([
      { "@type": "type.googleapis.com/google.protobuf.Any", value: { "@type": "type.googleapis.com/library.v1.Book" } },
    ]);
  });

  test("the same if it was raised in this process", () => {
    const detail = { desc: BookSchema, value: { title: "a" } };
    expect(detailsOf(new ConnectError("", Code.NotFound, undefined, [detail]))).toEqual([
      { "@type": "type.googleapis.com/library.v1.Book", title: "a" },
    ]);
  });

  test.each([
    ["library.v2.Book", book],
    ["", book],
    ["library.v1.Book", Uint8Array.of(0x0a, 0xff)],
    ["library.v1.Book", Uint8Array.of(0x0a, 0x01, 0xff)],
    ["google.protobuf.Any", toBinary(AnySchema, create(AnySchema, { typeUrl: "x/y", value: book }))],
  ])("its bytes in base64 if its type is unknown or they are malformed: %s", (type, value) => {
    expect(detailsOf(received(Code.NotFound, "", { type, value }))).toEqual([
      { "@type": `type.googleapis.com/${type}`, value: Buffer.from(value).toString("base64") },
    ]);
  });
});

describe("Retry-After is the delay of RetryInfo in whole seconds", () => {
  const retryInfo = (delay: Uint8Array) => ({ type: "google.rpc.RetryInfo", value: delay });
  const delayOf = (seconds: bigint, nanos: number) => {
    const duration = toBinary(DurationSchema, create(DurationSchema, { seconds, nanos }));
    return retryInfo(Uint8Array.of(0x0a, duration.length, ...duration));
  };

  test.each<[{ type: string; value: Uint8Array }, string | undefined]>([
    [delayOf(3n, 0), "3"],
    [delayOf(0n, 1), "1"],
    [delayOf(1n, 500_000_000), "2"],
    [delayOf(0n, 0), "0"],
    [delayOf(-5n, 0), "0"],
    [retryInfo(Uint8Array.of()), undefined],
    [retryInfo(Uint8Array.of(0x0a, 0x05)), undefined],
    [retryInfo(Uint8Array.of(0x0a, 0x01, 0xff)), undefined],
    [retryInfo(Uint8Array.of(0x08, 0x01)), undefined],
    [{ ...delayOf(3n, 0), type: "google.rpc.QuotaFailure" }, undefined],
  ])("%j: %s", (detail, seconds) => {
    const { status, headers } = render(received(Code.Unavailable, "", detail));
    expect([status, (headers as Record<string, string>)["Retry-After"]]).toEqual([503, seconds]);
  });
});

describe("what is not of an RPC is", () => {
  test.each<[unknown, number, string]>([
    [new Error("connect ECONNREFUSED 10.0.0.1:5432"), 13, "internal error"],
    ["text", 13, "internal error"],
    [undefined, 13, "internal error"],
    [new AnswerTooLarge("an answer over 5 bytes"), 13, "the reply is too large"],
  ])("masked: %s", (error, code, message) => {
    expect(render(error)).toMatchObject({ status: 500, body: { code, message, details: [] } });
  });

  test("masked if it comes from a connection, but for its code", () => {
    const error = ConnectError.from(new Error("connect ECONNREFUSED 10.0.0.1:5432"), Code.Unavailable);
    expect(render(error)).toMatchObject({ status: 503, body: { code: 14, message: "unavailable" } });
    expect(JSON.stringify(render(error))).not.toContain("10.0.0.1");
  });
});

describe("an error of form", () => {
  test.each<[TranscodingErrorKind, number, number]>([
    ["invalid-json", 400, 3],
    ["invalid-parameter", 400, 3],
    ["repeated-parameter", 400, 3],
    ["unknown-parameter", 400, 3],
    ["unexpected-body", 400, 3],
    ["invalid-path", 400, 3],
    ["query-too-long", 414, 3],
    ["body-too-large", 413, 3],
    ["unsupported-media-type", 415, 3],
    ["method-not-allowed", 405, 12],
    ["route-not-found", 404, 5],
  ])("%s is %s with code %s", (kind, status, code) => {
    const error = new TranscodingError(kind, { parameter: "a" });
    expect(render(error)).toMatchObject({ status, body: { code, message: error.message, details: [] } });
  });

  test("has the methods of its path, sorted", () => {
    const error = new TranscodingError("method-not-allowed", { allow: ["GET", "HEAD"] });
    expect(render(error).headers).toMatchObject({ Allow: "GET, HEAD" });
  });

  test("has all violations as a google.rpc.BadRequest", () => {
    const violations = [
      { in: "body", field: "a", description: "a must be a string", path: ["a"], line: 2, column: 7 },
      { in: "query", field: "b", description: "b must be given once", path: ["b"] },
    ] as const;
    const error = new TranscodingError("invalid-parameter", { parameter: "a", accepts: "a string", violations });
    expect(render(error).body).toEqual({
      code: 3,
      message: "a must be a string",
      details: [
        {
          "@type": "type.googleapis.com/google.rpc.BadRequest",
          fieldViolations: [
            { field: "a", description: "a must be a string (line 2, column 7)" },
            { field: "b", description: "b must be given once" },
          ],
        },
      ],
    });
  });
});
