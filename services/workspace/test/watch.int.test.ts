import { EventEmitter } from "node:events";
import { codeOf, reasonOf } from "@cloud/access/errors";
import { refusal } from "@cloud/access/testing";
import { newId, type OrganizationId, type WorkspaceId } from "@cloud/access/values";
import { type Database, statement, type Tx } from "@cloud/postgres";
import { execute, testTelemetry, waitFor } from "@cloud/testkit";
import { sideBySide } from "@cloud/testkit/races";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { createLogFeed } from "../src/watches/log-feed.ts";
import { Watcher } from "../src/watches/watcher.ts";
import { type Fixture, newWorkspace, startFixture } from "./fixture.ts";
import { startWatching, type Watching } from "./watch-stage.ts";

const BEGINNING = "00000000-0000-0000-0000-000000000000";

let f: Fixture;
let id: string;
beforeAll(async () => {
  f = await startFixture();
}, 60_000);
afterAll(() => f.stop());
beforeEach(async () => {
  ({ id } = await newWorkspace(f.admin, f.identity.home));
  await allFinal();
});

/** Resolves once no transaction of the server is older than the lines: the ones of other test files delay them. */
async function allFinal(): Promise<void> {
  const isFinal = async () => {
    const { rows } = await f.db.read(
      statement<{ final: boolean }>`
        select bool_and(xact < pg_snapshot_xmin(pg_current_snapshot())) as final
        from activity_events
        where workspace_id = $1`,
      [id],
    );
    return rows[0]?.final || undefined;
  };
  await waitFor(isFinal, { deadlineMs: 30_000 });
}

const change = (workspace = id) => f.admin.workspaces.updateWorkspace({ id: workspace, name: "changed" });

const listed = async () => {
  const { data } = await f.admin.workspaces.listWorkspaceEvents({ id, order: "created_at asc", pageSize: 100n });
  return data.map((event) => event.id);
};

const insertLine = statement`
  insert into activity_events
    (id, workspace_id, organization_id, owner, action, severity, description, acted_upon, acted_upon_kind)
  values ($1, $2, $3, '', 'update', 'success', 'a line', '', '')`;

async function insert(db: Database | Tx, line: string = newId()): Promise<string> {
  await execute(db, insertLine, [line, id, f.identity.home]);
  return line;
}

/** Resolves once the service has begun to read the lines that are new from now on. */
async function feedReads(): Promise<void> {
  const reads = async () => {
    const { rows } = await f.db.read(statement<{ at: string }>`
      select coalesce(max(query_start), 'epoch')::text as at
      from pg_stat_activity
      where query like '%log.is_waiting, line%' and pid <> pg_backend_pid()`);
    return rows[0]?.at;
  };
  for (let n = 0; n < 2; n++) {
    const before = await reads();
    await waitFor(async () => (await reads()) !== before || undefined, { deadlineMs: 30_000 });
  }
}

const codeOfEnd = async ({ ended }: Watching) => codeOf(reasonOf(await ended));

describe("a watch", () => {
  test("from now on has what follows, once", async () => {
    await change();
    await allFinal();
    const before = await listed();
    const watching = await startWatching(f.admin, { id });
    expect(watching.messages[0]).toMatchObject({ position: before.at(-1) });
    expect(watching.messages[0]?.event).toBeUndefined();
    await change();
    await change();
    await watching.received(2);
    await watching.stop();
    expect(watching.ids()).toEqual((await listed()).slice(before.length));
  });

  test("after an event continues behind it, and after the beginning has all", async () => {
    for (let n = 0; n < 5; n++) await change();
    const all = await listed();
    const later = await startWatching(f.member, { id, after: all[2] ?? "" });
    const whole = await startWatching(f.member, { id, after: BEGINNING });
    await change();
    await later.received(4);
    await whole.received(7);
    await later.stop();
    await whole.stop();
    const now = await listed();
    expect([later.ids(), whole.ids()]).toEqual([now.slice(3), now]);
  });

  test("has the lines of other workspaces only in theirs", async () => {
    const other = await newWorkspace(f.admin, f.identity.home);
    const watching = await startWatching(f.admin, { id });
    await change(other.id);
    await change();
    await watching.received(1);
    await watching.stop();
    expect(watching.messages.map(({ event }) => event?.workspaceId ?? "")).toEqual(["", id]);
  });

  test("continues where the connection ended although nothing had happened until then", async () => {
    const first = await startWatching(f.admin, { id });
    await first.stop();
    await change();
    const again = await startWatching(f.admin, { id, after: first.messages[0]?.position ?? "" });
    await again.received(1);
    await again.stop();
    expect(again.ids()).toEqual((await listed()).slice(1));
  });

  test("waits for a transaction that began earlier and commits later, and misses none of it", async () => {
    const watching = await startWatching(f.admin, { id });
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { promise: written, resolve: wrote } = Promise.withResolvers<string>();
    const late = f.db.transaction(async (tx) => {
      wrote(await insert(tx));
      await released;
    });
    const lateId = await written;
    const earlyId = await insert(f.db);
    await feedReads();
    const meanwhile = await startWatching(f.admin, { id });
    await feedReads();
    expect(watching.ids()).toEqual([]);
    release();
    await late;
    await watching.received(2);
    await meanwhile.received(2);
    await Promise.all([watching.stop(), meanwhile.stop()]);
    expect([watching.ids(), meanwhile.ids()]).toEqual([
      [lateId, earlyId],
      [lateId, earlyId],
    ]);
  });

  test("that is read slowly has all lines, in their order", async () => {
    const leaving = new AbortController();
    const stream = f.admin.workspaces.watchWorkspaceEvents({ id }, { signal: leaving.signal });
    const iterator = stream[Symbol.asyncIterator]();
    await iterator.next();
    const ids: string[] = [];
    for (let n = 0; n < 1_500; n++) ids.push(newId());
    await execute(
      f.db,
      statement`
        insert into activity_events
          (id, workspace_id, organization_id, owner, action, severity, description, acted_upon, acted_upon_kind)
        select line, $2, $3, '', 'update', 'success', 'a line', '', ''
        from unnest($1::uuid[]) line`,
      [ids, id, f.identity.home],
    );
    await insert(f.db);
    const other = await startWatching(f.admin, { id, after: ids.at(-1) ?? "" });
    await other.received(1);
    await other.stop();
    const received: string[] = [];
    while (received.length < ids.length) {
      const { value } = await iterator.next();
      if (value.event !== undefined) received.push(value.event.id);
    }
    leaving.abort();
    expect(received).toEqual(ids);
  });
});

describe("after an event that the log does not have", () => {
  test.each([
    ["unknown", async () => newId()],
    ["of another workspace", async () => insertElsewhere()],
    ["purged", async () => purged()],
  ])("%s, a watch says so and begins with the oldest", async (_what, after) => {
    await change();
    const watching = await startWatching(f.admin, { id, after: await after() });
    expect(watching.messages[0]).toMatchObject({ gone: true, position: BEGINNING });
    await watching.received(2);
    await watching.stop();
    expect(watching.ids()).toEqual(await listed());
    expect(watching.messages.map(({ gone }) => gone)).toEqual([true, undefined, undefined]);
  });

  test("a malformed id is refused", async () => {
    expect(await refusal(startWatching(f.admin, { id, after: "1" }))).toBe(
      "400 INVALID_PARAMETER: after must be the id of an event",
    );
  });

  async function insertElsewhere(): Promise<string> {
    const { id: other } = await newWorkspace(f.admin, f.identity.home);
    const { data } = await f.admin.workspaces.listWorkspaceEvents({ id: other });
    return data[0]?.id ?? "";
  }

  async function purged(): Promise<string> {
    const line = await insert(f.db);
    await execute(f.ownerDb, statement`delete from activity_events where id = $1`, [line]);
    return line;
  }
});

test("a commit wakes the feed, which without a signal reads later", async () => {
  const unsignalledMs = 3_600_000;
  const signals = new EventEmitter();
  const onCommit = (listener: () => void) => {
    signals.on("commit", listener);
    return { isHeard: () => true, stop: () => void signals.off("commit", listener) };
  };
  let reads = 0;
  const read: Database["read"] = async (statement, params) => {
    const result = await f.db.read(statement, params);
    reads++;
    return result;
  };
  const db = { ...f.db, read };
  const feed = createLogFeed({ db, commits: { onCommit }, log: testTelemetry().log, unsignalledMs });
  const access = { key: "", again: () => Promise.reject(new Error("not asked")) };
  const organizationId = f.identity.home as OrganizationId;
  const watcher = new Watcher({ workspaceId: id as WorkspaceId, organizationId, userId: "", access });
  watcher.isBehind = false;
  await feed.add(watcher);
  // Two to find where the log ends, and the first one of what is new.
  await waitFor(async () => reads === 3 || undefined, { deadlineMs: 30_000 });
  const unsignalled = await insert(f.db);
  await allFinal();
  expect(watcher.shift()).toBeUndefined();
  signals.emit("commit");
  expect((await waitFor(async () => watcher.shift(), { deadlineMs: 30_000 })).id).toBe(unsignalled);
  feed.remove(watcher);
  feed.stop(new Error("the test is over"));
});

describe("a watch ends", () => {
  test.each<[string, string, () => void]>([
    ["the token is revoked", "UNAUTHENTICATED", () => f.identity.revoked.add("member")],
    ["the permission is gone", "PERMISSION_DENIED", () => f.identity.powerless.add("member")],
  ])("after %s, with %s", async (_what, code, take) => {
    const watching = await startWatching(f.member, { id });
    const unconcerned = await startWatching(f.admin, { id });
    take();
    expect(await codeOfEnd(watching)).toBe(code);
    f.identity.revoked.clear();
    f.identity.powerless.clear();
    await change();
    await unconcerned.received(1);
    await unconcerned.stop();
  });

  test("after the workspace is deleted, with WORKSPACE_NOT_FOUND", async () => {
    const watching = await startWatching(f.admin, { id });
    await newWorkspace(f.admin, f.identity.home);
    await f.admin.workspaces.deleteWorkspace({ id });
    expect(await codeOfEnd(watching)).toBe("WORKSPACE_NOT_FOUND");
    expect(await refusal(startWatching(f.admin, { id }))).toContain("WORKSPACE_NOT_FOUND");
  });

  test("after its organization is deleted, with WORKSPACE_NOT_FOUND", async () => {
    const watching = await startWatching(f.admin, { id });
    const owner = f.identity.organizations.get(f.identity.home) ?? "";
    f.identity.organizations.delete(f.identity.home);
    expect(await codeOfEnd(watching)).toBe("WORKSPACE_NOT_FOUND");
    f.identity.organizations.set(f.identity.home, owner);
  });
});

test.each([
  ["stranger", "UNAUTHENTICATED"],
  ["outsider", "WORKSPACE_NOT_FOUND"],
] as const)("a watch of a %s is %s", async (user, code) => {
  expect(await refusal(startWatching(f[user], { id }))).toContain(code);
});

test("a user has at most 100 watches, and ended ones count no longer", async () => {
  const watches = await sideBySide(100, 8, () => startWatching(f.member, { id }));
  expect(await refusal(startWatching(f.member, { id }))).toContain("TOO_MANY_WATCHES");
  const metrics = await f.metrics();
  expect(metrics).toMatch(/semaphore_in_flight\{work="watches-of-a-user".*\} 100$/m);
  expect(metrics).toMatch(/semaphore_refused_total\{work="watches-of-a-user".*\} 1$/m);
  const other = await startWatching(f.admin, { id });
  await Promise.all([...watches, other].map((watching) => watching.stop()));
  await waitFor(() => startWatching(f.member, { id }).then((watching) => watching.stop()), { deadlineMs: 30_000 });
});
