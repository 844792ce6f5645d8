import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import path from "node:path";
import { OrganizationService } from "@cloud/proto/identity/v1/organization_service_pb";
import { TokenService } from "@cloud/proto/identity/v1/token_service_pb";
import { UserService } from "@cloud/proto/identity/v1/user_service_pb";
import { createServiceTransport, newId, type WorkspaceId } from "@cloud/rpc";
import { refusal } from "@cloud/rpc/testing";
import { createTestDatabase, type TestDatabase, waitFor } from "@cloud/testkit";
import { createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { SERVICE_TOKEN } from "./fixture.ts";

const MAIN = path.join(import.meta.dirname, "../src/main.ts");

let database: TestDatabase;
let program: ChildProcess;
let url: string;

/** The program as it runs in production, with neither NATS nor the workspace service there. */
beforeAll(async () => {
  database = await createTestDatabase("identity");
  const [port, closed] = [await freePort(), await freePort()];
  url = "http://127.0.0.1:" + String(port);
  const env = {
    HOST: "127.0.0.1",
    PORT: String(port),
    DATABASE_URL: database.url,
    NATS_URL: "nats://127.0.0.1:" + String(closed),
    WORKSPACE_URL: "http://127.0.0.1:" + String(closed),
    SERVICE_TOKEN,
    LAME_DUCK_MS: "0",
    LOG_LEVEL: "silent",
  };
  program = spawn(process.execPath, [MAIN], { env, stdio: "inherit" });
  await waitFor(async () => ((await fetch(url + "/readyz")).ok ? true : undefined), { deadlineMs: 20_000 });
});

afterAll(async () => {
  program.kill("SIGKILL");
  await database.drop();
});

test("serves; what needs the absent workspace service is UNAVAILABLE; ends cleanly when told to", async () => {
  const service = createServiceTransport({ url, serviceToken: SERVICE_TOKEN });
  const { user } = await createClient(UserService, service).createUser({ email: "a@example.test" });
  const owner = user?.id ?? "";
  const { organization } = await createClient(OrganizationService, service).createOrganization({ owner });
  const selectedOrganization = organization?.id ?? "";
  const { secret } = await createClient(TokenService, service).createToken({ userId: owner });
  const users = createClient(UserService, createServiceTransport({ url, serviceToken: secret }));

  const select = users.updatePreferences({ selectedWorkspace: newId<WorkspaceId>() });
  expect(await refusal(select)).toBe("503 UNAVAILABLE: the service is temporarily unavailable");
  expect(await users.updatePreferences({ selectedOrganization })).toMatchObject({
    preferences: { selectedOrganization },
  });

  program.kill("SIGTERM");
  expect(await once(program, "exit")).toEqual([0, null]);
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return address !== null && typeof address === "object" ? address.port : 0;
}
