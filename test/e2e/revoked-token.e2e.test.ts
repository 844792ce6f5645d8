import { joinTestStack } from "@cloud/local-stack/test-stack";
import { expect, test } from "@jest/globals";
import { refused, restClients, restFor } from "./rest.ts";

test("a token is shown once, is accepted at once, and is refused by each service right after it was revoked", async () => {
  const { demo } = await joinTestStack();
  const { user } = restClients(demo);
  const organizationId = demo.organizations[0]?.id ?? "";
  const created = await user.post("/identity/tokens", { name: "laptop" });
  const { token, secret } = created.body;
  expect([created.status, created.headers.get("location")]).toEqual([201, `/api/identity/tokens/${token.id}`]);

  const laptop = restFor(demo, secret);
  const paths = [
    `/workspaces?orgId=${organizationId}`,
    `/environments?orgId=${organizationId}`,
    "/identity/users/profile",
  ];
  for (const path of paths) expect((await laptop.get(path)).status).toBe(200);
  const { body: tokens } = await user.get("/identity/tokens?pageSize=100&search=laptop");
  expect(tokens.tokens).toContainEqual(token);
  expect(JSON.stringify(tokens)).not.toContain(secret);

  expect((await user.delete(`/identity/tokens/${token.id}`)).status).toBe(204);
  for (const path of paths) {
    const reply = await laptop.get(path);
    const outcome = [refused(reply), reply.headers.get("www-authenticate")];
    expect(outcome).toEqual(["401 a valid security token is required", "Bearer"]);
  }
});
