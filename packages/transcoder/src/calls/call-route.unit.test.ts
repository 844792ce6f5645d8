import { create, type DescMethodUnary, fromBinary, type Message, toBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "@jest/globals";
import { BookSchema, GetBookRequestSchema } from "../../test/gen/library/v1/library_pb.ts";
import { libraryRoutes } from "../../test/library.ts";
import { ruleFor } from "../../test/routes.ts";
import { AnswerTooLarge, COMPILED_FORM } from "../json-out/render-json.ts";
import type { Route, RouteTransport } from "../rules/route.ts";
import { createUnaryCall } from "./call-route.ts";

const [plain] = libraryRoutes({ GetBook: ruleFor("GET /books/{name}", { responseBody: "publisher" }) }) as [Route];
const request = create(GetBookRequestSchema, { name: "ä" });
const reply = create(BookSchema, { publisher: { city: "1", name: "ä\u0001" } });
const { signal } = new AbortController();
const HEADERS = { authorization: "Bearer x" };
const RECEIVED = { "x-received": "1" };

interface Call {
  readonly method: DescMethodUnary;
  readonly deadlineMs: number | undefined;
  readonly headers: unknown;
  readonly message: Message;
}

/** Creates a transport that replies with `bytes`, by its binary method only if it is to have one. */
function transportOf(bytes: Uint8Array, isBinary: boolean, calls: Call[] = []): RouteTransport {
  const unary = async (method: DescMethodUnary, deadlineMs: number | undefined, headers: unknown, message: Message) => {
    calls.push({ method, deadlineMs, headers, message });
    return { message: fromBinary(method.output, bytes), header: new Headers(RECEIVED) };
  };
  const transport = {
    stream: () => Promise.reject(new Error("no streams")),
    unary: (method: DescMethodUnary, _: unknown, deadlineMs: number, headers: unknown, message: Message) =>
      unary(method, deadlineMs, headers, message),
  } as unknown as RouteTransport;
  if (!isBinary) return transport;
  transport.unary = () => Promise.reject(new Error("called by messages"));
  transport.unaryBinary = async (method, _signal, deadlineMs, headers, message) => {
    calls.push({ method, deadlineMs, headers, message: fromBinary(method.input, message) });
    return { message: bytes, headers: RECEIVED };
  };
  return transport;
}

function call(transport: RouteTransport, answerLimit = 1_000) {
  return createUnaryCall({ ...plain, transport }, answerLimit, COMPILED_FORM)(request, signal, 1_234, HEADERS);
}

describe.each([
  ["messages", false],
  ["bytes", true],
])("a call of a transport of %s", (_name, isBinary) => {
  const bytes = toBinary(BookSchema, reply);

  test("carries message, deadline and headers, and returns message, JSON and headers", async () => {
    const calls: Call[] = [];
    const { message, json, headers } = await call(transportOf(bytes, isBinary, calls));
    expect(headers).toEqual(RECEIVED);
    expect(calls).toEqual([{ method: plain.method, deadlineMs: 1_234, headers: HEADERS, message: request }]);
    expect(message()).toEqual(reply);
    expect(JSON.parse(Buffer.from(json(), "latin1").toString())).toMatchObject({ city: "1", name: "ä\u0001" });
  });

  test("writes no answer beyond its limit", async () => {
    const { json } = await call(transportOf(bytes, isBinary), 10);
    expect(json).toThrow(AnswerTooLarge);
  });
});

test("a reply of bytes is decoded only if the message is asked for, and once", async () => {
  const { message, json } = await call(transportOf(Buffer.from([0xff]), true));
  expect(message).toThrow();
  expect(json).toThrow();
  const good = await call(transportOf(toBinary(BookSchema, reply), true));
  expect(good.message()).toBe(good.message());
});
