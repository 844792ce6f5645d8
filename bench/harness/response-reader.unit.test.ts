import { expect, test } from "@jest/globals";
import { createResponseReader } from "./response-reader.ts";

/** Returns the statuses that a reader reports for the bytes, which arrive one at a time. */
function read(...responses: readonly string[]): number[] {
  const statuses: number[] = [];
  const receive = createResponseReader((status) => statuses.push(status));
  for (const byte of Buffer.from(responses.join(""))) receive(Buffer.of(byte));
  return statuses;
}

const WITH_LENGTH = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
const CHUNKED = "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n1\r\n\n\r\n0\r\n\r\n";
const EMPTY = "HTTP/1.1 204 No Content\r\nDate: today\r\n\r\n";

test("responses with a length, in chunks and without a body are reported once each", () => {
  expect(read(WITH_LENGTH, CHUNKED, EMPTY, WITH_LENGTH)).toEqual([200, 201, 204, 200]);
});

test("an unfinished response is not reported", () => {
  expect(read(WITH_LENGTH.slice(0, -1))).toEqual([]);
  expect(read(CHUNKED.slice(0, -1))).toEqual([]);
});
