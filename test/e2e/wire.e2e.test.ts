import { joinTestStack, type TestStack } from "@cloud/local-stack/test-stack";
import { beforeAll, expect, test } from "@jest/globals";
import { type RestClients, refused, restClients } from "./rest.ts";

// test/cases/wire.yaml contains the other rules of the protocol.

let stack: TestStack;
let as: RestClients;
let first: string;
beforeAll(async () => {
  stack = await joinTestStack();
  as = restClients(stack.demo);
  first = stack.demo.organizations[0]?.id ?? "";
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

test("half of a surrogate pair in metadata is refused alike by REST and by RPC", async () => {
  const body = `{"organizationId":"${first}","metadata":{"a":"\\ud83d"}}`;
  const headers = { "content-type": "application/json" };
  const expected = "metadata must be of valid Unicode";
  const byRest = await as.orgAdmin.send("/workspaces", { method: "POST", body, headers });
  expect(refused(byRest)).toBe(`400 ${expected}`);
  const byRpc = await fetch(`${stack.demo.services.workspace}/workspace.v1.WorkspaceService/CreateWorkspace`, {
    method: "POST",
    headers: { ...headers, authorization: `Bearer ${stack.demo.users.orgAdmin.token}` },
    body,
  });
  expect([byRpc.status, await byRpc.json()]).toMatchObject([400, { message: expected }]);
});

test("the id of a request is in the header of its reply and in the error", async () => {
  const reply = await as.orgAdmin.send("/workspaces/x", { headers: { "x-request-id": "my-request-1" } });
  expect([reply.headers.get("x-request-id"), reply.body.requestId]).toEqual(["my-request-1", "my-request-1"]);
});
