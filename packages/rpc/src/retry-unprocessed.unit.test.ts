import { Code, ConnectError } from "@connectrpc/connect";
import { expect, test } from "@jest/globals";
import { wasNotProcessed } from "./retry-unprocessed.ts";

const failed = (cause: unknown) => new ConnectError("x", Code.Internal, undefined, undefined, cause);
const node = (code: string, more: object = {}) => Object.assign(new Error("x"), { code, ...more });
const reset = (why: string) =>
  Object.assign(new Error("Stream closed with error code " + why), { code: "ERR_HTTP2_STREAM_ERROR" });

test.each<[string, unknown]>([
  ["no listener", failed(node("ECONNREFUSED", { syscall: "connect" }))],
  ["no address", failed(node("ENOTFOUND", { syscall: "getaddrinfo" }))],
  ["no way there", failed(node("EHOSTUNREACH", { syscall: "connect" }))],
  ["the connection was being closed", failed(node("ERR_HTTP2_GOAWAY_SESSION"))],
  ["the connection was closed", failed(node("ERR_HTTP2_INVALID_SESSION"))],
  ["the server refused the stream", failed(reset("NGHTTP2_REFUSED_STREAM"))],
  ["deep down", failed(new Error("x", { cause: reset("NGHTTP2_REFUSED_STREAM") }))],
])("not processed, so resent: %s", (_, error) => {
  expect(wasNotProcessed(error)).toBe(true);
});

test.each<[string, unknown]>([
  ["the connection broke", failed(node("ECONNRESET", { syscall: "read" }))],
  ["the connection timed out", failed(node("ETIMEDOUT", { syscall: "read" }))],
  ["the server reset the stream", failed(reset("NGHTTP2_INTERNAL_ERROR"))],
  ["the ping was not answered", new ConnectError("PING timed out", Code.Unavailable)],
  ["the deadline passed", new ConnectError("x", Code.DeadlineExceeded)],
  ["the server returned an error", new ConnectError("x", Code.Unavailable)],
])("perhaps processed, so not resent: %s", (_, error) => {
  expect(wasNotProcessed(error)).toBe(false);
});
