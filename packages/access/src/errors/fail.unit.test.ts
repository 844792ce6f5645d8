import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { Code, ConnectError } from "@connectrpc/connect";
import { expect, test } from "@jest/globals";
import { fail, reasonOf } from "./fail.ts";

const failed = (code: Code, cause?: unknown) => new ConnectError("x", code, undefined, undefined, cause);
const node = (code: string) => Object.assign(new Error(code), { code });
const endless = new Error("x");
endless.cause = endless;

test.each<[string, unknown, Reason]>([
  ["not in the catalogue", new Error("x"), Reason.INTERNAL],
  ["without end", failed(Code.Internal, endless), Reason.INTERNAL],
  ["a programming error of Node", failed(Code.Internal, node("ERR_INVALID_ARG_TYPE")), Reason.INTERNAL],
  ["no route to the host", failed(Code.Internal, node("EHOSTUNREACH")), Reason.UNAVAILABLE],
  ["deep down", failed(Code.Unknown, new Error("x", { cause: node("EPIPE") })), Reason.UNAVAILABLE],
  ["refused", failed(Code.Unavailable, node("ECONNREFUSED")), Reason.UNAVAILABLE],
  ["a reason of the service", fail(Reason.VIEW_NOT_FOUND, {}, node("EPIPE")), Reason.VIEW_NOT_FOUND],
])("%s", (_, error, reason) => {
  expect(reasonOf(error)).toBe(reason);
});
