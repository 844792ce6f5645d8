import type { Code } from "@connectrpc/connect";
import { codeName } from "../../cases/runner/call.ts";
import type { WireAnswer } from "../wire/send-http.ts";
import type { Protocol } from "./generate-call.ts";

const TRAILER = 0x80;
const END_OF_STREAM = 0x02;

/** Returns the code of a reply by its Connect name: `ok`, `http <status>` for what HTTP refused, `none` without one. */
export function readOutcome(protocol: Protocol, answer: WireAnswer): string {
  const { status, headers, trailers, body } = answer;
  const type = headers["content-type"] ?? "";
  if (type.startsWith("application/grpc")) {
    const text = lastFrame(body, TRAILER)?.toString() ?? "";
    const inBody = /^grpc-status: *(\d+)/im.exec(text)?.[1];
    const grpc = trailers["grpc-status"] ?? headers["grpc-status"] ?? inBody;
    return grpc === undefined ? "none" : nameOf(Number(grpc));
  }
  if (type.startsWith("application/connect+")) {
    const end = lastFrame(body, END_OF_STREAM);
    return end === undefined ? "none" : codeIn(end.toString(), "ok");
  }
  if (status === 200 && protocol === "connect") return "ok";
  return codeIn(body.toString(), "http " + status);
}

const nameOf = (code: number) => (code === 0 ? "ok" : codeName(code as Code));

function codeIn(text: string, otherwise: string): string {
  try {
    const { code, error } = JSON.parse(text) as { code?: string; error?: { code?: string } };
    return error?.code ?? code ?? otherwise;
  } catch {
    return otherwise;
  }
}

/** Returns the contents of the last envelope if it has the flag. */
function lastFrame(body: Buffer, flag: number): Buffer | undefined {
  let last: Buffer | undefined;
  for (let at = 0; at + 5 <= body.length; ) {
    const length = body.readUInt32BE(at + 1);
    last = (body[at] ?? 0) & flag ? body.subarray(at + 5, at + 5 + length) : undefined;
    at += 5 + length;
  }
  return last;
}
