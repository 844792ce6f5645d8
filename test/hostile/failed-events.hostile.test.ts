import type { JsonObject } from "@bufbuild/protobuf";
import { newId } from "@cloud/access/values";
import type { RemovedProtection } from "@cloud/testkit";
import { writeReport } from "@cloud/testkit/figures";
import { expect, test } from "@jest/globals";
import { startSystem } from "../chaos/system/start-system.ts";
import { openDatabases } from "../chaos/system/system-databases.ts";
import { restClients } from "../e2e/rest.ts";
import { hostileControls } from "./controls.ts";
import { HOSTILE_IDS, SURFACES } from "./failed-events/hostile-ids.ts";
import { type LoggedOperation, loggedOperations } from "./failed-events/operations.ts";
import { hostileSurfaces } from "./failed-events/send-hostile.ts";
import { createWireClient } from "./wire/send-http.ts";

/** The longest id and the largest line of the log, by the contract. */
const LONGEST = 64;
const LARGEST = 1024;

/** A line of the log: what happened, to which kind of thing; its size. */
interface Line {
  readonly line: string;
  readonly longest: number;
  readonly bytes: number;
}

/** Takes the lines out of the log: their times are too coarse to tell the calls apart. */
const TAKE_LINES = `
  delete from workspace.activity_events
  returning action || ' ' || acted_upon_kind || ' ' || severity as line, char_length(acted_upon) as longest,
    octet_length(owner || description || acted_upon || acted_upon_kind || metadata::text) as bytes`;

/** The Org Admin may do all of it, the User nothing. */
const CALLS = loggedOperations().flatMap((operation) =>
  Object.entries(HOSTILE_IDS).flatMap(([what, id]) =>
    SURFACES.flatMap((surface) =>
      (["orgAdmin", "user"] as const).map((role) => ({ operation, what, id, surface, role })),
    ),
  ),
);

async function playAll(removeAlso: readonly RemovedProtection[] = []) {
  await using resources = new AsyncDisposableStack();
  const system = await startSystem({ removeAlso });
  resources.defer(() => system.stop());
  const databases = openDatabases(system);
  resources.defer(() => databases.close());
  const { demo } = system;
  const organizationId = demo.organizations[0]?.id ?? "";
  const { body: workspace } = await restClients(demo).orgAdmin.post("/workspaces", {
    organizationId,
    name: "Attacked",
  });
  const gateway = resources.adopt(createWireClient(demo.gateway), (client) => client.close());
  const rpc = resources.adopt(createWireClient(demo.services.workspace), (client) => client.close());
  const surfaces = hostileSurfaces(gateway, rpc);
  const takeLines = () => databases.of.workspace<Line & Record<string, unknown>>(TAKE_LINES);
  await takeLines();
  const wrong: string[] = [];
  for (const { operation, what, id, surface, role } of CALLS) {
    const { token } = demo.users[role];
    const outcome = await surfaces[surface]({ ...operation, id, others: othersOf(operation, workspace.id), token });
    const faults = judge(operation, id.isText[surface], outcome, await takeLines());
    wrong.push(
      ...faults.map((fault) => `${operation.desc.name} ${operation.field.name} ${what} ${surface} ${role}: ${fault}`),
    );
  }
  return { calls: CALLS.length, wrong };
}

/** The other fields of the request, which name what exists. */
function othersOf({ desc, field }: LoggedOperation, workspaceId: string): JsonObject {
  const all = Object.fromEntries(
    desc.input.fields
      .filter(({ name }) => /(^|_)id$/.test(name) && name !== field.name)
      .map(({ name, jsonName }) => [jsonName, name === "id" ? workspaceId : newId()] as const),
  );
  const isCreation = desc.name.startsWith("Create") || desc.name.startsWith("Update");
  return isCreation ? { ...all, name: "Attacked" } : all;
}

function judge(operation: LoggedOperation, isText: boolean, outcome: string, lines: readonly Line[]): string[] {
  const faults: string[] = [];
  if (!/^(4\d\d|invalid_argument|not_found|permission_denied)$/.test(outcome)) faults.push(outcome);
  const expected = isText && !operation.namesTarget ? [lineOf(operation)] : [];
  const written = lines.map(({ line }) => line);
  if (JSON.stringify(written) !== JSON.stringify(expected)) faults.push(`${outcome} and logged [${written}]`);
  for (const { longest, bytes } of lines) {
    if (longest > LONGEST || bytes > LARGEST)
      faults.push(`a line of ${bytes} bytes with an id of ${longest} characters`);
  }
  return faults;
}

function lineOf({ desc }: LoggedOperation): string {
  const [, verb = "", kind = ""] = /^(Assign|Remove)(\w+)$/.exec(desc.name) ?? [];
  return `${verb === "Assign" ? "assign" : "unassign"} ${kind.toLowerCase()} error`;
}

test("every operation that fails for a hostile id is refused by 4xx, and writes its bounded line", async () => {
  const operations = loggedOperations();
  const { calls, wrong } = await playAll();
  writeReport({ what: "hostile-failed-events", promise: 9, operations: operations.length, calls, wrong: wrong.length });
  expect(wrong).toEqual([]);
  expect(new Set(operations.map(({ desc }) => desc.name)).size).toBeGreaterThanOrEqual(11);
}, 600_000);

test("control: without the bound lines are lost", async () => {
  const { calls, wrong } = await playAll(hostileControls.boundActivity);
  writeReport({ what: "hostile-failed-events-control", promise: 9, calls, wrong: wrong.length });
  expect(wrong).toContainEqual(
    expect.stringMatching(/^AssignTeam team_id 1.5 million characters .*: .* and logged \[\]$/),
  );
  expect(wrong).toContainEqual(expect.stringMatching(/^RemoveView view_id U\+0000 .*: .* and logged \[\]$/));
}, 600_000);
