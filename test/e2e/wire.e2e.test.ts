import { joinTestStack, type TestStack } from "@cloud/local-stack/test-stack";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { type RestClients, refused, restClients } from "./rest.ts";

let stack: TestStack;
let as: RestClients;
let first: string;
beforeAll(async () => {
  stack = await joinTestStack();
  as = restClients(stack.demo);
  first = stack.demo.organizations[0]?.id ?? "";
});

// As bytes: for a string, fetch adds a content type itself.
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

test("405 lists what is allowed, and HEAD is served like GET", async () => {
  const response = await as.orgAdmin.send("/workspaces/x", { method: "POST" });
  expect([response.status, response.headers.get("allow")]).toEqual([405, "DELETE, GET, HEAD, PUT"]);
  const head = await as.orgAdmin.send("/workspaces?orgId=" + first, { method: "HEAD" });
  expect([head.status, head.body, head.headers.get("content-type")]).toEqual([200, undefined, "application/json"]);
});

test("a request whose headers are just within the gateway's limit is not too large for a service", async () => {
  const outcomes = new Set<string>();
  for (let bytes = 15_000; bytes <= 16_300; bytes += 50) {
    const headers = { tracestate: "a=".padEnd(bytes, "x") }; // forwarded as it is
    const { status } = await as.orgAdmin.send(`/workspaces?orgId=${first}`, { method: "GET", headers });
    outcomes.add(String(status));
  }
  expect(outcomes).toEqual(new Set(["200", "431"]));
});

describe("a request body", () => {
  const ok = () => JSON.stringify({ organizationId: first });

  test.each([
    ["no JSON", "{", "400 request body is not valid JSON"],
    ["too deep", "[".repeat(65) + "]".repeat(65), "400 request body is not valid JSON"],
  ])("%s", async (_case, body, expected) => {
    const response = await post(body);
    expect(refused(response)).toContain(expected);
    expect(response.body.code).toBe("INVALID_JSON");
  });

  test("JSON that is not an object", async () => {
    const response = await post("[]");
    expect([refused(response), response.body.code]).toEqual([
      "400 request body must be a JSON object",
      "INVALID_PARAMETER",
    ]);
  });

  test("invalid UTF-8", async () => {
    const response = await as.orgAdmin.send("/workspaces", {
      method: "POST",
      body: Buffer.from([0x7b, 0x22, 0xff, 0x22]),
    });
    expect(response.body.code).toBe("INVALID_JSON");
  });

  test("more than 1 MiB", async () => {
    const response = await post(JSON.stringify({ organizationId: first, name: "x".repeat(1024 * 1024) }));
    expect([refused(response), response.body.code]).toEqual([
      "413 request body is larger than 1 MiB",
      "BODY_TOO_LARGE",
    ]);
  });

  test("its type is JSON, declared or not", async () => {
    expect((await as.orgAdmin.send("/workspaces", { method: "POST", body: Buffer.from(ok()) })).status).toBe(201);
    expect((await post(ok(), { "content-type": "application/json; charset=utf-8" })).status).toBe(201);
    expect((await post(ok(), { "content-type": "text/plain" })).body.code).toBe("UNSUPPORTED_MEDIA_TYPE");
  });

  test("authentication precedes the check of the body", async () => {
    for (const body of ["{", "x".repeat(1024 * 1024 + 1)]) {
      const response = await as.anonymous.send("/workspaces", { method: "POST", body: Buffer.from(body) });
      expect(refused(response)).toBe("401 a valid security token is required");
      const unknown = await as.anonymous.send("/workspaces", {
        method: "POST",
        body: Buffer.from(body),
        headers: { authorization: "Bearer cst_x" },
      });
      expect(refused(unknown)).toBe("401 a valid security token is required");
    }
  });
});

test("half of a surrogate pair in metadata is refused alike by REST and by RPC", async () => {
  const body = `{"organizationId":"${first}","metadata":{"a":"\\ud83d"}}`;
  const expected = "metadata must be of valid Unicode";
  expect(refused(await post(body))).toBe(`400 ${expected}`);
  const response = await fetch(`${stack.demo.services.workspace}/workspace.v1.WorkspaceService/CreateWorkspace`, {
    method: "POST",
    headers: { authorization: `Bearer ${stack.demo.users.orgAdmin.token}`, "content-type": "application/json" },
    body,
  });
  expect([response.status, await response.json()]).toMatchObject([400, { message: expected }]);
});

test("a request id is returned, in the error too", async () => {
  const response = await as.orgAdmin.send("/workspaces/x", { headers: { "x-request-id": "my-request-1" } });
  expect([response.headers.get("x-request-id"), response.body.requestId]).toEqual(["my-request-1", "my-request-1"]);
});

test("internal RPCs are not exposed by REST, and no internals are shown", async () => {
  for (const path of ["/identity/authenticate", "/access", "/environments/provision"]) {
    expect([404, 405]).toContain((await as.orgAdmin.send(path, { method: "POST" })).status);
  }
});
