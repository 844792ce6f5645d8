import http from "node:http";
import { expect, test } from "@jest/globals";
import pg from "pg";
import { type System, startSystem } from "../../chaos/system/start-system.ts";
import { watchMemory } from "../../hostile/wire/watch-memory.ts";
import { restClients } from "../rest.ts";

const SLOW = 4;
const LINES = 120_000;
const IN_TRANSACTION = 1_000;
const DESCRIPTION_BYTES = 700;
/**
 * The limit of each program's heap. An idle program takes half of it, and the lines take more than the other half, also
 * if all watches share them.
 */
const HEAP_MIB = 100;
/** The size of the lines that the slow watches do not read. */
const UNREAD_MIB = (SLOW * LINES * DESCRIPTION_BYTES) / 2 ** 20;

interface Watch {
  /** The ids of the events that it has received, in their order. */
  readonly ids: string[];
  /** Reads what the server sends, which it does not at first. */
  read(): void;
  /** Resolves once it has received so many events. Rejects if the watch ends before. */
  received(count: number): Promise<void>;
  leave(): void;
}

/** Resolves when the server has responded. */
function openWatch({ demo }: System, workspaceId: string): Promise<Watch> {
  const { promise, resolve, reject } = Promise.withResolvers<Watch>();
  const ids: string[] = [];
  let [expected, arrived] = [Number.POSITIVE_INFINITY, () => {}];
  const ended = Promise.withResolvers<never>();
  ended.promise.catch(() => undefined);
  const headers = { authorization: `Bearer ${demo.users.user.token}` };
  const path = `${demo.gateway}/api/workspaces/${workspaceId}/events:watch`;
  const request = http.get(path, { headers, agent: false }, (response) => {
    let rest = "";
    const take = (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (!line.startsWith("data:")) continue;
        const { event } = JSON.parse(line.slice("data:".length));
        if (event !== undefined) ids.push(event.id);
        if (ids.length === expected) arrived();
      }
    };
    response.setEncoding("utf8").on("error", () => undefined);
    response.on("close", () => ended.reject(new Error(`the watch ended after ${ids.length} events`)));
    resolve({
      ids,
      read: () => void response.on("data", take),
      received: (count) => {
        const all = new Promise<void>((done) => {
          [expected, arrived] = [count, done];
          if (ids.length >= count) done();
        });
        return Promise.race([all, ended.promise]);
      },
      leave: () => request.destroy(),
    });
  });
  request.on("error", reject);
  return promise;
}

/** Writes the lines as many transactions, and returns their ids in the order of the log. */
async function writeLines({ superuserUrls, demo }: System, workspaceId: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: superuserUrls.workspace });
  await client.connect();
  for (let line = 0; line < LINES; line += IN_TRANSACTION) {
    await client.query(
      `insert into workspace.activity_events
         (id, workspace_id, organization_id, owner, action, severity, description, acted_upon, acted_upon_kind)
       select gen_random_uuid(), $1, $2, '', 'update', 'success', repeat('x', $3), '', ''
       from generate_series(1, $4::int)`,
      [workspaceId, demo.organizations[0]?.id, DESCRIPTION_BYTES, IN_TRANSACTION],
    );
  }
  const { rows } = await client.query<{ id: string }>(
    `select id from workspace.activity_events
     where workspace_id = $1 and action = 'update'
     order by activity_events.xact, activity_events.id`,
    [workspaceId],
  );
  await client.end();
  return rows.map(({ id }) => id);
}

test("watches that do not read cost others no event, and the programs no memory", async () => {
  await using resources = new AsyncDisposableStack();
  const system = await startSystem({ env: { NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}` } });
  resources.defer(() => system.stop());
  const { body } = await restClients(system.demo).orgAdmin.post("/workspaces", {
    organizationId: system.demo.organizations[0]?.id,
    name: "Watched",
  });
  const watches = await Promise.all(Array.from({ length: SLOW + 1 }, () => openWatch(system, body.id)));
  resources.defer(async () => {
    for (const watch of watches) watch.leave();
  });
  const [other] = watches as [Watch, ...Watch[]];
  const memory = watchMemory([system.gateway, system.services.workspace[0]]);
  other.read();
  const written = await writeLines(system, body.id);
  await other.received(LINES);
  expect(other.ids).toEqual(written);
  // Outside their heaps, too.
  const grown = Object.entries(memory.stop()).map(([name, { before, peak }]) => ({ name, mebibytes: peak - before }));
  expect(grown.filter(({ mebibytes }) => mebibytes > UNREAD_MIB / 2)).toEqual([]);
}, 300_000);
