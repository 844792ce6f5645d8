import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { refusal } from "@cloud/access/testing";
import { newId, type WorkspaceId } from "@cloud/access/values";
import { OrganizationService } from "@cloud/proto/identity/v1/organization_service_pb";
import { TokenService } from "@cloud/proto/identity/v1/token_service_pb";
import { UserService } from "@cloud/proto/identity/v1/user_service_pb";
import { createServiceTransport } from "@cloud/rpc";
import { credentialOf, SERVICE_TOKEN } from "@cloud/service/testing";
import { COMPILE_CACHE, createTestDatabase, type TestDatabase, takeStablePort, waitFor } from "@cloud/testkit";
import { createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, expect, test } from "@jest/globals";

const MAIN = path.join(import.meta.dirname, "../src/main.ts");

let database: TestDatabase;
let program: ChildProcess;
let url: string;

/** Starts the program as in production, without NATS and without the workspace service. */
beforeAll(async () => {
  database = await createTestDatabase("identity");
  const [port, operatorPort, closed] = [await takeStablePort(), await takeStablePort(), await takeStablePort()];
  url = "http://127.0.0.1:" + String(port);
  const env = {
    HOST: "127.0.0.1",
    PORT: String(port),
    OPERATOR_HOST: "127.0.0.1",
    OPERATOR_PORT: String(operatorPort),
    DATABASE_URL: database.url,
    MIGRATION_DATABASE_URL: database.ownerUrl,
    NATS_URL: "nats://127.0.0.1:" + String(closed),
    WORKSPACE_URL: "http://127.0.0.1:" + String(closed),
    SERVICE_TOKEN: credentialOf("identity"),
    SERVICE_CREDENTIALS: `operator:${SERVICE_TOKEN}`,
    ...COMPILE_CACHE,
    LAME_DUCK_MS: "0",
    LOG_LEVEL: "silent",
  };
  program = spawn(process.execPath, [MAIN], { env, stdio: "inherit" });
  const readyz = "http://127.0.0.1:" + String(operatorPort) + "/readyz";
  await waitFor(async () => ((await fetch(readyz)).ok ? true : undefined), { deadlineMs: 30_000 });
});

afterAll(async () => {
  program.kill("SIGKILL");
  await database.drop();
});

test("serves, returns UNAVAILABLE where it needs the absent workspace service, and exits with 0 on SIGTERM", async () => {
  const service = createServiceTransport({ url, serviceToken: SERVICE_TOKEN, deadlineMs: 30_000 });
  const { user } = await createClient(UserService, service).createUser({ email: "a@example.test" });
  const owner = user?.id ?? "";
  const { organization } = await createClient(OrganizationService, service).createOrganization({ owner });
  const selectedOrganization = organization?.id ?? "";
  const { secret } = await createClient(TokenService, service).createToken({ userId: owner });
  const users = createClient(UserService, createServiceTransport({ url, serviceToken: secret, deadlineMs: 30_000 }));

  const select = users.updatePreferences({ selectedWorkspace: newId<WorkspaceId>() });
  expect(await refusal(select)).toBe("503 UNAVAILABLE: the service is temporarily unavailable");
  expect(await users.updatePreferences({ selectedOrganization })).toMatchObject({
    preferences: { selectedOrganization },
  });

  program.kill("SIGTERM");
  expect(await once(program, "exit")).toEqual([0, null]);
});
