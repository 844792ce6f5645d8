import { fail, TOKEN_PREFIX } from "@cloud/contract";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { UserService } from "@cloud/proto/identity/v1/user_service_pb";
import type { Program, RemovedProtection } from "@cloud/testkit";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { type FakeService, startFakeService } from "./fake-services.ts";
import { startGatewayProgram } from "./start-gateway-program.ts";

/** A body of any size is read and parsed before its token is checked. */
const CHECKED_FIRST = [{ file: "gateway/src/create-listener.ts", find: "largeBody: checkCaller,", replace: "" }];

/** 0.9 MB of JSON with 90,000 keys. */
const BODY = JSON.stringify({
  metadata: Object.fromEntries(Array.from({ length: 90_000 }, (_, key) => [`k${key}`, 1])),
});
const REQUESTS = 5;
const TOKEN = TOKEN_PREFIX + "x".repeat(43);

let service: FakeService;
const programs: Program[] = [];
beforeAll(async () => {
  // Identity, which accepts no token, and the service that the request is for, which is not called.
  service = await startFakeService((router) => {
    router.service(UserService, {
      getProfile: () => {
        throw fail(Reason.UNAUTHENTICATED);
      },
    });
  });
});
afterEach(async () => {
  await Promise.all(programs.splice(0).map((program) => program.close()));
});
afterAll(() => service.stop());

async function start(removed: readonly RemovedProtection[]): Promise<Program> {
  const program = await startGatewayProgram(service.url, removed);
  programs.push(program);
  return program;
}

/** Returns the gateway's CPU time, in milliseconds, for one request with an invented token. */
async function costOf(program: Program): Promise<number> {
  const call = async () => {
    const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
    const response = await fetch(program.url + "/api/connections", { method: "POST", headers, body: BODY });
    await response.text();
    return response.status;
  };
  await call(); // compiles the code
  const before = await cpuSeconds(program);
  for (let request = 0; request < REQUESTS; request++) await call();
  return ((await cpuSeconds(program)) - before) * (1_000 / REQUESTS);
}

async function cpuSeconds({ operatorUrl }: Program): Promise<number> {
  const metrics = await (await fetch(operatorUrl + "/metrics")).text();
  return Number(/^process_cpu_seconds_total\S* (\S+)/m.exec(metrics)?.[1]);
}

test("an invented token costs a fraction of what reading its body costs", async () => {
  const [cpuMs, controlMs] = [await costOf(await start([])), await costOf(await start(CHECKED_FIRST))];
  process.stdout.write(JSON.stringify({ what: "refused at the gateway", bytes: BODY.length, cpuMs, controlMs }) + "\n");
  expect(cpuMs).toBeLessThan(controlMs / 3);
}, 60_000);
