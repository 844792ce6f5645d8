import { Code, ConnectError } from "@connectrpc/connect";
import { expect, test } from "@jest/globals";
import { NotProcessedError, wasNotProcessed } from "./connect-in-time.ts";

const failed = (cause: unknown) => new ConnectError("x", Code.Internal, undefined, undefined, cause);
const node = (code: string, more: object = {}) => Object.assign(new Error("x"), { code, ...more });

test.each<[string, unknown]>([
  ["no listener", failed(node("ECONNREFUSED", { syscall: "connect" }))],
  ["no address", failed(node("ENOTFOUND", { syscall: "getaddrinfo" }))],
  ["no way there", failed(node("EHOSTUNREACH", { syscall: "connect" }))],
  ["the server was closing the connection", failed(new NotProcessedError())],
  ["deep down", failed(new Error("x", { cause: new NotProcessedError() }))],
])("not processed, so resent: %s", (_, error) => {
  expect(wasNotProcessed(error)).toBe(true);
});

test.each<[string, unknown]>([
  ["the connection broke", failed(node("ECONNRESET", { syscall: "read" }))],
  ["the connection timed out", failed(node("ETIMEDOUT", { syscall: "read" }))],
  ["the connection ended before the response", failed(node("UND_ERR_SOCKET"))],
  ["the peer was silent", new ConnectError("the peer is silent", Code.Unavailable)],
  ["the deadline passed", new ConnectError("x", Code.DeadlineExceeded)],
  ["the server returned an error", new ConnectError("x", Code.Unavailable)],
])("perhaps processed, so not resent: %s", (_, error) => {
  expect(wasNotProcessed(error)).toBe(false);
});
