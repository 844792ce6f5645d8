import { TOKEN_PREFIX } from "@cloud/access/principal";
import { WorkspaceService } from "@cloud/proto/workspace/v1/workspace_service_pb";
import type { Program, RemovedProtection } from "@cloud/testkit";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { type FakeService, startFakeService } from "./fake-services.ts";
import { startGatewayProgram } from "./start-gateway-program.ts";

const MIB = 1024 * 1024;
/** 15 MB between services; each character takes six in JSON. */
const WORKSPACES = Array.from({ length: 15 }, () => ({ description: "\u0001".repeat(1_000_000) }));
const UNBOUNDED = [{ marker: "answer-size", instead: "const ANSWER_LIMIT = 2 ** 32;" }];

let service: FakeService;
const programs: Program[] = [];
beforeAll(async () => {
  service = await startFakeService((router) => {
    router.service(WorkspaceService, {
      listWorkspaces: () => ({ workspaces: WORKSPACES }),
      getWorkspace: () => ({ workspace: { id: "small" } }),
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

async function get({ url }: Program, path: string) {
  const headers = { authorization: `Bearer ${TOKEN_PREFIX}${"x".repeat(43)}` };
  const response = await fetch(`${url}/api${path}`, { headers });
  return { status: response.status, text: await response.text() };
}

test("an answer that is larger than 16 MiB only in JSON is ANSWER_TOO_LARGE, and costs only itself", async () => {
  const program = await start([]);
  for (let round = 0; round < 3; round++) {
    const { status, text } = await get(program, "/workspaces?orgId=all");
    expect([status, JSON.parse(text)]).toMatchObject([500, { code: "ANSWER_TOO_LARGE" }]);
    expect((await get(program, "/workspaces/small")).status).toBe(200);
  }
}, 60_000);

test("control: without the gateway's limit, 90 MB are sent", async () => {
  const { status, text } = await get(await start(UNBOUNDED), "/workspaces?orgId=all");
  expect(status).toBe(200);
  expect(text.length).toBeGreaterThan(80 * MIB);
}, 60_000);
