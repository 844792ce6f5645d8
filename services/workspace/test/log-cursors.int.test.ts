import { refusal } from "@cloud/access/testing";
import { type Id, newId } from "@cloud/access/values";
import { statement } from "@cloud/postgres";
import { execute } from "@cloud/testkit";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Fixture, newWorkspace, startFixture } from "./fixture.ts";

let f: Fixture;
let id: string;
let organizationId: string;
beforeAll(async () => {
  f = await startFixture();
  organizationId = f.identity.home;
  ({ id } = await newWorkspace(f.admin, organizationId));
  // Lines of the same millisecond, which a page may end between.
  await execute(
    f.db,
    statement`
      insert into activity_events
        (id, workspace_id, organization_id, owner, action, severity, description, acted_upon, acted_upon_kind, created_at)
      select gen_random_uuid(), $1, $2, '', 'update', 'success', 'line ' || n, '', '', now() - (n / 4) * interval '1 hour'
      from generate_series(1, 30) n`,
    [id, organizationId],
  );
}, 60_000);
afterAll(() => f.stop());

interface Reply {
  readonly ids: readonly string[];
  readonly next: string | undefined;
}

/** Reads page after page, and writes a line between two. */
async function follow(read: (cursor: string) => Promise<Reply>): Promise<string[]> {
  const all: string[] = [];
  for (let cursor: string | undefined = ""; cursor !== undefined; ) {
    const { ids, next }: Reply = await read(cursor);
    expect(ids.length).toBeLessThanOrEqual(7);
    all.push(...ids);
    await f.admin.workspaces.updateWorkspace({ id, name: "changed meanwhile" });
    cursor = next;
  }
  return all;
}

describe("the log of a workspace", () => {
  const list = async (request: object) => {
    const { data, nextCursor, totalCount } = await f.admin.workspaces.listWorkspaceEvents({ id, ...request });
    return { ids: data.map((line) => line.id), next: nextCursor, totalCount };
  };

  test.each(["created_at desc", "updated_at asc"])("continues where the page ended, by %s", async (order) => {
    const before = await list({ order, pageSize: 100n });
    expect(before.next).toBeUndefined();
    const followed = await follow((cursor) => list({ order, cursor, pageSize: 7n }));
    // The lines that were written meanwhile come first or last.
    const isBefore = new Set(before.ids);
    expect(followed.filter((one) => isBefore.has(one))).toEqual(before.ids);
    expect(new Set(followed).size).toBe(followed.length);
    if (order.endsWith("desc")) expect(followed).toEqual(before.ids);
  });

  test("continues after any page, and reports the total", async () => {
    const page = await list({ page: 2n, pageSize: 7n });
    const next = await list({ cursor: page.next, pageSize: 7n });
    expect(next).toEqual(await list({ page: 3n, pageSize: 7n }));
  });

  test("has no cursor after its last line, nor in a search", async () => {
    const { totalCount } = await list({});
    expect((await list({ page: BigInt(totalCount - 1), pageSize: 1n })).next).toBeUndefined();
    expect((await list({ page: 1_000n })).next).toBeUndefined();
    expect((await list({ search: "line", pageSize: 2n })).next).toBeUndefined();
  });

  test("refuses a cursor beside a search or a page, and one that is none", async () => {
    const { next: cursor = "" } = await list({ pageSize: 2n });
    for (const request of [{ cursor, search: "line" }, { cursor, page: 1n }, { cursor: "x" }]) {
      const call = f.admin.workspaces.listWorkspaceEvents({ id, ...request });
      expect(await refusal(call)).toMatch(/^400 INVALID_PARAMETER: cursor must be /);
    }
  });
});

describe("a log that is followed oldest first has a line that was committed after later ones", () => {
  const order = "created_at asc";
  const pageSize = 2n;
  const ofWorkspace = async (workspaceId: string, cursor: string) => {
    const reply = await f.admin.workspaces.listWorkspaceEvents({ id: workspaceId, order, cursor, pageSize });
    return { ids: reply.data.map((line) => line.id), next: reply.nextCursor };
  };
  const ofOrganization = async (_workspaceId: string, cursor: string) => {
    const reply = await f.admin.workspaces.listOrganizationEvents({ organizationId, order, cursor, pageSize });
    return { ids: reply.events.map((line) => line.id), next: reply.nextCursor || undefined };
  };

  test.each([
    ["of a workspace", ofWorkspace],
    ["of an organization", ofOrganization],
  ])("%s", async (_name, read) => {
    const workspace = await newWorkspace(f.admin, organizationId);
    const update = (name: string) => f.admin.workspaces.updateWorkspace({ id: workspace.id, name });
    let cursor = "";
    const seen = new Set<string>();
    const readOn = async () => {
      for (let next: string | undefined = cursor; next !== undefined; ) {
        cursor = next;
        const page: Reply = await read(workspace.id, next);
        for (const id of page.ids) seen.add(id);
        next = page.next;
      }
    };
    await update("a");
    const late = newId<Id>();
    await f.db.transaction(async (tx) => {
      await tx.query(
        statement`
          insert into activity_events
            (id, workspace_id, organization_id, owner, action, severity, description, acted_upon, acted_upon_kind, created_at)
          values ($1, $2, $3, '', 'update', 'success', '', '', '', clock_timestamp())`,
        [late, workspace.id, organizationId],
      );
      for (const name of ["b", "c", "d"]) await update(name);
      await readOn();
      expect(seen).not.toContain(late);
    });
    await update("e");
    await readOn();
    expect(seen).toContain(late);
  });
});

describe("the log of an organization", () => {
  const list = async (request: object) => {
    const { events, nextCursor } = await f.admin.workspaces.listOrganizationEvents({ organizationId, ...request });
    return { ids: events.map((line) => line.id), next: nextCursor === "" ? undefined : nextCursor };
  };

  test("continues where the page ended, while lines are written to any workspace", async () => {
    const { ids } = await list({ pageSize: 100n });
    expect(await follow((cursor) => list({ cursor, pageSize: 7n }))).toEqual(ids);
    expect(ids.length).toBeGreaterThan(30);
  });

  test("contains the lines of deleted workspaces", async () => {
    const deleted = await newWorkspace(f.admin, organizationId, "to be deleted");
    await f.admin.workspaces.deleteWorkspace({ id: deleted.id });
    const { events } = await f.admin.workspaces.listOrganizationEvents({ organizationId, pageSize: 2n });
    expect(events).toMatchObject([
      { action: "delete", workspaceId: deleted.id },
      { action: "create", workspaceId: deleted.id },
    ]);
  });
});
