import type { IncomingMessage } from "node:http";
import { expect, test } from "@jest/globals";
import { requestIdOf } from "./follow-requests.ts";

const request = (id?: string) => ({ headers: { "x-request-id": id } }) as unknown as IncomingMessage;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

test.each([undefined, "", "a b", "a\u0000", "ä", "x".repeat(129)])("%j is replaced by a UUID", (id) => {
  expect(requestIdOf(request(id))).toMatch(UUID);
});

test("a valid id is kept, and a request has a single id", () => {
  expect(requestIdOf(request("trace-1/2"))).toBe("trace-1/2");
  const nameless = request();
  expect(requestIdOf(nameless)).toBe(requestIdOf(nameless));
});
