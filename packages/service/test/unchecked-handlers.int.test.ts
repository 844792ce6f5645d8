import { create } from "@bufbuild/protobuf";
import type { Caller } from "@cloud/access";
import { codeOf, fail, reasonOf } from "@cloud/access/errors";
import { newId, type OrganizationId, type UserId } from "@cloud/access/values";
import { type Database, statement, type Tx } from "@cloud/postgres";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { AuthenticateResponseSchema } from "@cloud/proto/identity/v1/auth_service_pb";
import { WorkspaceService } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { createServiceTransport, type RpcServer, startRpcServer } from "@cloud/rpc";
import { createTestDatabase, execute, openTestDatabase, type TestDatabase, testTelemetry } from "@cloud/testkit";
import { type Client, createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { bindHandlers, type CallContext, type Handler } from "../src/bind-handlers.ts";

// Handlers of DeleteWorkspace (SCOPE_RECORD, Delete Workspace) that do too little, for a user who holds every key.

interface Context extends Pick<CallContext, "recording"> {
  readonly db: Database;
}
type Deletes = Handler<Context, { id: string }, Record<string, never>>;

const organization = newId<OrganizationId>();
let database: TestDatabase;
let db: Database;
let server: RpcServer;
let client: Client<typeof WorkspaceService>;
let handler: Deletes;
let failures: unknown[] = [];

beforeAll(async () => {
  database = await createTestDatabase("test");
  const telemetry = testTelemetry();
  db = openTestDatabase({ url: database.ownerUrl, schema: "test", log: telemetry.log });
  await execute(db, statement`create table notes (id integer)`);
  const by = bindHandlers({ db });
  server = await startRpcServer({
    host: "127.0.0.1",
    port: 0,
    services: [WorkspaceService],
    routes: (router) => {
      const run: Deletes = (context, caller, request) => handler(context, caller, request);
      router.service(WorkspaceService, { deleteWorkspace: by(run), getWorkspace: () => ({}) });
    },
    authenticate: async () => {
      const permissions = ["Delete Workspace"];
      const memberships = [{ organizationId: organization, permissions }];
      return create(AuthenticateResponseSchema, { userId: newId<UserId>(), memberships });
    },
    organizationIsLive: async () => true,
    serviceCredentials: [],
    checkReady: async () => undefined,
    translate: (error) => {
      failures.push(error);
      return undefined;
    },
    telemetry,
  });
  client = createClient(
    WorkspaceService,
    createServiceTransport({ url: server.url, serviceToken: "a-user", deadlineMs: 30_000 }),
  );
});
beforeEach(async () => {
  failures = [];
  await execute(db, statement`delete from notes`);
});
afterAll(async () => {
  await server.stop();
  await db.close();
  await database.drop();
});

const write = (tx: Tx) => tx.query(statement`insert into notes values (1)`);
const check = (caller: Caller) => caller.requireAccess(organization, Reason.WORKSPACE_NOT_FOUND);
const notes = async () => (await db.read(statement`select from notes`)).rows.length;

async function outcome(): Promise<string> {
  return await client.deleteWorkspace({ id: "" }).then(
    () => "ok",
    (error: unknown) => codeOf(reasonOf(error)),
  );
}

test("a handler that checks may write and reply", async () => {
  handler = async (context, caller) => {
    await check(caller);
    await context.db.transaction(write);
    await context.recording.transaction(write);
    return {};
  };
  expect([await outcome(), await notes()]).toEqual(["ok", 2]);
});

const forgetful: Readonly<Record<string, Deletes>> = {
  "opens a transaction": async ({ db: guarded }) => {
    await guarded.transaction(write);
    return {};
  },
  "records something": async ({ recording }) => {
    await recording.transaction(write);
    return {};
  },
  "checks membership only": async ({ db: guarded }, caller) => {
    await caller.requireMembership(organization, Reason.WORKSPACE_NOT_FOUND);
    await guarded.transaction(write);
    return {};
  },
  "checks another scope": async ({ db: guarded }, caller) => {
    await caller.requireCreation(organization);
    await guarded.transaction(write);
    return {};
  },
  "checks the permission without membership": async ({ db: guarded }, caller) => {
    caller.requirePermission(organization);
    await guarded.transaction(write);
    return {};
  },
  "only reads": async ({ db: guarded }) => {
    await guarded.read(statement`select from notes`);
    return {};
  },
};

test.each(Object.keys(forgetful))("a handler that %s without the check fails and changes nothing", async (name) => {
  handler = forgetful[name] ?? handler;
  expect([await outcome(), await notes()]).toEqual(["INTERNAL", 0]);
  expect(String(failures[0])).toContain("workspace.v1.WorkspaceService.DeleteWorkspace");
});

test("a handler that is registered without the adapter cannot reply unchecked either", async () => {
  await expect(client.getWorkspace({ id: "" })).rejects.toThrow("internal error");
});

test("an abandoned call may record its failure and cannot reply", async () => {
  handler = async ({ recording }, caller) => {
    caller.abandon();
    await recording.transaction(write);
    return {};
  };
  expect([await outcome(), await notes()]).toEqual(["INTERNAL", 1]);
  handler = async ({ recording }, caller) => {
    caller.abandon();
    await recording.transaction(write);
    throw fail(Reason.WORKSPACE_UPDATE_EMPTY);
  };
  expect(await outcome()).toBe("WORKSPACE_UPDATE_EMPTY");
});
