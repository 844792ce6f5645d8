import { TOKEN_PREFIX } from "@cloud/contract";
import { refusal } from "@cloud/contract/testing";
import { AuthService } from "@cloud/proto/identity/v1/auth_service_pb";
import { takeStablePort } from "@cloud/testkit";
import { afterEach, expect, test } from "@jest/globals";
import { createAuthenticator, createServiceTransport } from "../src/index.ts";
import { startUserServer } from "./start-user-server.ts";

const TOKEN = TOKEN_PREFIX + "x".repeat(43);
const resources: (() => unknown)[] = [];
afterEach(async () => {
  for (const release of resources.splice(0).reverse()) await release();
});

function authenticatorAt(url: string, serviceToken: string) {
  const identity = createServiceTransport({ url, serviceToken });
  resources.push(() => identity.close());
  return createAuthenticator({ identity });
}

test("a token of another form is refused without a call of identity", async () => {
  const { authenticate } = authenticatorAt(`http://127.0.0.1:${await takeStablePort()}`, "any");
  expect(await refusal(authenticate("garbage"))).toBe("401 UNAUTHENTICATED: a valid security token is required");
  expect(await refusal(authenticate(TOKEN))).toMatch(/^503 UNAVAILABLE/);
});

test("a refusal of this service's own credential is not the caller's fault", async () => {
  const server = await startUserServer({
    services: [AuthService],
    routes: (router) => router.service(AuthService, { authenticate: () => ({}) }),
    serviceCredentials: [
      { name: "workspace", secret: "credential-of-workspace" },
      { name: "identity", secret: "credential-of-identity" },
    ],
  });
  resources.push(() => server.stop());
  const as = (credential: string) => refusal(authenticatorAt(server.url, credential).authenticate(TOKEN));
  expect(await as("credential-of-workspace")).toBe("not refused");
  for (const credential of ["credential-of-identity", "unknown"]) {
    expect(await as(credential)).toBe("500 INTERNAL: internal error");
  }
});
