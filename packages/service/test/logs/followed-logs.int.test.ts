import { advanceLogCursor, type LogCursor } from "@cloud/access/lists";
import { newId } from "@cloud/access/values";
import { type Database, type Reader, type SqlText, sql, statement, type Tx } from "@cloud/postgres";
import { execute } from "@cloud/testkit";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import * as audit from "../../../../services/identity/src/audit/sql.ts";
import * as activities from "../../../../services/workspace/src/activity/cursor-sql.ts";
import { openMigrated } from "../schemas/service-schemas.ts";

interface Log {
  readonly service: "identity" | "workspace";
  /** $1 is the id of the line, $2 the scope. */
  readonly insert: SqlText;
  readonly read: (db: Reader, scope: never, cursor: LogCursor, limit: number) => Promise<readonly Line[]>;
}

interface Line {
  readonly id: string;
  readonly created_at: Date;
  readonly snapshot?: string;
}

const insertActivity = sql`
  insert into activity_events
    (id, workspace_id, organization_id, owner, action, severity, description, acted_upon, acted_upon_kind, created_at)
  values ($1, $2, $2, '', 'update', 'success', '', '', '', clock_timestamp())`;
const insertEntry = sql`
  insert into audit_events (id, actor, action, target, organization_id, metadata, request_id)
  values ($1, '', '', '', $2, '{}', '')`;

const logs: readonly (readonly [string, Log])[] = [
  ["of a workspace", { service: "workspace", insert: insertActivity, read: activities.workspaceLog.oldestFirst }],
  [
    "of an organization",
    { service: "workspace", insert: insertActivity, read: activities.organizationLog.oldestFirst },
  ],
  ["of the audit", { service: "identity", insert: insertEntry, read: audit.organizationLog.oldestFirst }],
  [
    "of the audit of all organizations",
    {
      service: "identity",
      insert: insertEntry,
      read: (db, _scope, cursor, limit) => audit.systemLog.oldestFirst(db, null, cursor, limit),
    },
  ],
];

describe.each(logs)("the log %s, followed oldest first", (_name, { service, insert, read }) => {
  const resources = new AsyncDisposableStack();
  let db: Database;
  let scope: string;
  beforeAll(async () => {
    db = await openMigrated(service, resources);
    scope = newId();
  });
  afterAll(() => resources.disposeAsync());

  /** A transaction that stays open between its lines and its commit. */
  function openWriter() {
    const [began, end] = [Promise.withResolvers<Tx>(), Promise.withResolvers<void>()];
    const ended = db.transaction(async (tx) => {
      await tx.query(statement`set local idle_in_transaction_session_timeout = 0`);
      began.resolve(tx);
      await end.promise;
    });
    const write = async () => {
      const id = newId();
      await (await began.promise).query(statement`${insert}`, [id, scope]);
      return id;
    };
    const commit = async () => {
      end.resolve();
      await ended;
    };
    return { write, commit };
  }

  async function writeOne(): Promise<string> {
    const id = newId();
    await execute(db, insert, [id, scope]);
    return id;
  }

  /** Reads pages until there is none; `advance` makes the cursor after each. */
  function openReader(pageSize: number, advance = advanceLogCursor) {
    let cursor: LogCursor = [];
    const readPage = async () => {
      const lines = await read(db, scope as never, cursor, pageSize);
      const last = lines.at(-1);
      if (last !== undefined) cursor = advance(cursor, { snapshot: "", ...last });
      return lines.map(({ id }) => id);
    };
    const readAll = async () => {
      const ids: string[] = [];
      for (let page = await readPage(); page.length > 0; page = await readPage()) ids.push(...page);
      return ids;
    };
    return { readPage, readAll };
  }

  const withoutTransactions: typeof advanceLogCursor = (_cursor, { created_at: createdAt, id }) => [
    { createdAt, id, upTo: "18446744073709551615", running: [] },
  ];

  test.each([1, 2, 3, 100])(
    "has each line once, also of a transaction that commits late, in pages of %d",
    async (size) => {
      const reader = openReader(size);
      await reader.readAll();
      const control = openReader(size, withoutTransactions);
      await control.readAll();

      const held = openWriter();
      const late = [await held.write(), await held.write()];
      const others = [await writeOne(), await writeOne(), await writeOne()];
      expect(await reader.readAll()).toEqual(others);
      expect(await control.readAll()).toEqual(others);
      late.push(await held.write());
      const next = await writeOne();
      await held.commit();
      expect((await reader.readAll()).toSorted()).toEqual([...late, next].toSorted());
      // Control: by time alone the lines before the place are missed.
      expect((await control.readAll()).toSorted()).toEqual([...late.slice(2), next].toSorted());
      expect(await reader.readAll()).toEqual([]);
    },
  );

  test("has each line once, however transactions overlap", async () => {
    const reader = openReader(3);
    await reader.readAll();
    const written: string[] = [];
    const followed: string[] = [];
    const open: ReturnType<typeof openWriter>[] = [];
    for (let step = 0; step < 120; step++) {
      const turn = (step * 7919 + 13 * step * step) % 11;
      const writer = open[turn % Math.max(open.length, 1)];
      if (turn < 3 && open.length < 4) open.push(openWriter());
      else if (turn < 6 && writer !== undefined) written.push(await writer.write());
      else if (turn < 8 && writer !== undefined) await open.splice(open.indexOf(writer), 1)[0]?.commit();
      else if (turn < 9) written.push(await writeOne());
      else followed.push(...(await reader.readPage()));
    }
    for (const writer of open) await writer.commit();
    followed.push(...(await reader.readAll()));
    expect(written.length).toBeGreaterThan(20);
    expect(followed.toSorted()).toEqual(written.toSorted());
  });
});
