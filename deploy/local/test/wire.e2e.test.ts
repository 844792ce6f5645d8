import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { startTestStack, type TestStack } from "../src/test-stack.ts";
import { type Everybody, everybody, refused } from "./rest.ts";

let stack: TestStack;
let as: Everybody;
let first: string;
beforeAll(async () => {
  stack = await startTestStack();
  as = everybody(stack.demo);
  first = stack.demo.organizations[0]?.id ?? "";
});
afterAll(() => stack.stop());

// As bytes: fetch declares a type for a string by itself.
const post = (body: string, headers: Record<string, string> = {}) =>
  as.orgAdmin.send("/workspaces", { method: "POST", body: Buffer.from(body), headers });

test.each([
  ["GET", "/nowhere", "404 no such path"],
  ["PATCH", "/workspaces", "405 method not allowed"],
  ["GET", "/workspaces/%zz", "400 request path is not valid percent-encoded UTF-8"],
  ["GET", "/workspaces/%ff", "400 request path is not valid percent-encoded UTF-8"],
])("%s %s", async (method, path, expected) => {
  expect(refused(await as.orgAdmin.send(path, { method }))).toBe(expected);
});

test("405 says what is allowed, and GET answers HEAD", async () => {
  const answer = await as.orgAdmin.send("/workspaces/x", { method: "POST" });
  expect([answer.status, answer.headers.get("allow")]).toEqual([405, "DELETE, GET, HEAD, PUT"]);
  const head = await as.orgAdmin.send("/workspaces?orgId=" + first, { method: "HEAD" });
  expect([head.status, head.body, head.headers.get("content-type")]).toEqual([200, undefined, "application/json"]);
});

describe("a request body", () => {
  const ok = () => JSON.stringify({ organizationId: first });

  test.each([
    ["no JSON", "{", "400 request body is not valid JSON"],
    ["too deep", "[".repeat(65) + "]".repeat(65), "400 request body is not valid JSON"],
  ])("%s", async (_case, body, expected) => {
    const answer = await post(body);
    expect(refused(answer)).toContain(expected);
    expect(answer.body.code).toBe("INVALID_JSON");
  });

  test("JSON, but no object", async () => {
    const answer = await post("[]");
    expect([refused(answer), answer.body.code]).toEqual([
      "400 request body must be a JSON object",
      "INVALID_PARAMETER",
    ]);
  });

  test("invalid UTF-8", async () => {
    const answer = await as.orgAdmin.send("/workspaces", {
      method: "POST",
      body: Buffer.from([0x7b, 0x22, 0xff, 0x22]),
    });
    expect(answer.body.code).toBe("INVALID_JSON");
  });

  test("more than 1 MiB", async () => {
    const answer = await post(JSON.stringify({ organizationId: first, name: "x".repeat(1024 * 1024) }));
    expect([refused(answer), answer.body.code]).toEqual(["413 request body is larger than 1 MiB", "BODY_TOO_LARGE"]);
  });

  test("its type is JSON, said or not", async () => {
    expect((await as.orgAdmin.send("/workspaces", { method: "POST", body: Buffer.from(ok()) })).status).toBe(201);
    expect((await post(ok(), { "content-type": "application/json; charset=utf-8" })).status).toBe(201);
    expect((await post(ok(), { "content-type": "text/plain" })).body.code).toBe("UNSUPPORTED_MEDIA_TYPE");
  });

  test("who calls is asked before what is sent", async () => {
    for (const body of ["{", "x".repeat(1024 * 1024 + 1)]) {
      const answer = await as.nobody.send("/workspaces", { method: "POST", body: Buffer.from(body) });
      expect(refused(answer)).toBe("401 a valid security token is required");
      const unknown = await as.nobody.send("/workspaces", {
        method: "POST",
        body: Buffer.from(body),
        headers: { authorization: "Bearer cst_x" },
      });
      expect(refused(unknown)).toBe("401 a valid security token is required");
    }
  });
});

test("a request id is answered, in the error too", async () => {
  const answer = await as.orgAdmin.send("/workspaces/x", { headers: { "x-request-id": "my-request-1" } });
  expect([answer.headers.get("x-request-id"), answer.body.requestId]).toEqual(["my-request-1", "my-request-1"]);
});

test("internal RPCs are not to be had by REST, and nothing of the inside shows", async () => {
  for (const path of ["/identity/authenticate", "/access", "/environments/provision"]) {
    expect([404, 405]).toContain((await as.orgAdmin.send(path, { method: "POST" })).status);
  }
});
