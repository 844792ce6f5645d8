import { fileURLToPath } from "node:url";
import { startGateway } from "@cloud/gateway";
import { credentialOf, SERVICE_TOKEN, startIdentityPeer, tokenOf } from "@cloud/service/testing";
import { createTestDatabase, startProgram, takeStablePort, testTelemetry } from "@cloud/testkit";
import { expect, test } from "@jest/globals";

const LIMIT = 3;

test("a token's limit, set for the program of a service, is 429 by REST and a metric", async () => {
  await using resources = new AsyncDisposableStack();
  const database = await createTestDatabase("environment");
  resources.defer(() => database.drop());
  const identity = await startIdentityPeer();
  resources.defer(() => identity.stop());
  const environment = await startProgram({
    name: "environment",
    main: fileURLToPath(new URL("../../services/environment/src/main.ts", import.meta.url)),
    port: await takeStablePort(),
    operatorPort: await takeStablePort(),
    env: {
      DATABASE_URL: database.url,
      MIGRATION_DATABASE_URL: database.ownerUrl,
      NATS_URL: "nats://127.0.0.1:1", // none listens there; the service serves without
      IDENTITY_URL: identity.url,
      SERVICE_TOKEN: credentialOf("environment"),
      SERVICE_CREDENTIALS: `operator:${SERVICE_TOKEN}`,
      LAME_DUCK_MS: "0",
      RATE_LIMIT_PER_TOKEN: String(LIMIT),
    },
  });
  resources.defer(() => environment.close());
  const urls = { workspaceUrl: environment.url, environmentUrl: environment.url, identityUrl: identity.url };
  const gateway = await startGateway({ host: "127.0.0.1", port: 0, ...urls, telemetry: testTelemetry() });
  resources.defer(() => gateway.stop());
  const headers = { authorization: `Bearer ${tokenOf("admin")}` };
  const list = () => fetch(`${gateway.url}/api/environments?orgId=${identity.home}`, { headers });

  let response = await list();
  let passed = 0;
  const left: number[] = [];
  // A minute may end meanwhile, which allows as many again; a third one does not begin.
  while (response.status === 200 && passed <= 2 * LIMIT) {
    passed++;
    expect(response.headers.get("ratelimit-policy")).toBe(`"token";q=${LIMIT};w=60`);
    left.push(remainingIn(response));
    response = await list();
  }
  expect(passed).toBeGreaterThanOrEqual(LIMIT);
  // Downwards to 0, from the limit or, in a minute that began meanwhile, again from the limit.
  expect(left.slice(-LIMIT)).toEqual([2, 1, 0]);
  expect([response.status, await response.json()]).toEqual([
    429,
    { error: "too many requests", code: "RATE_LIMITED", requestId: expect.any(String) },
  ]);
  const retryAfter = Number(response.headers.get("retry-after"));
  expect(retryAfter).toBeGreaterThanOrEqual(1);
  expect(retryAfter).toBeLessThanOrEqual(60);
  expect(response.headers.get("ratelimit-policy")).toBe(`"token";q=${LIMIT};w=60`);
  expect(response.headers.get("ratelimit")).toBe(`"token";r=0;t=${retryAfter}`);
  const metrics = await (await fetch(`${environment.operatorUrl}/metrics`)).text();
  expect(metrics).toContain('rate_limit_refused_total{policy="token",program="environment"} 1');
});

/** Returns r of the header `RateLimit`: `"token";r=2;t=37`. */
function remainingIn({ headers }: Response): number {
  return Number(/^"token";r=(\d+);t=\d+$/.exec(headers.get("ratelimit") ?? "")?.[1]);
}
