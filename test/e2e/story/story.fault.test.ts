import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type LogLine, type RemovedProtection, testFolder, waitFor } from "@cloud/testkit";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type System, startSystem } from "../../chaos/system/start-system.ts";
import { type Rest, restFor } from "../rest.ts";
import { causeless, REPORT_SDK, uncorrelated } from "./controls.ts";

const WITHIN = { deadlineMs: 30_000 };

const startWithout = (removeAlso: readonly RemovedProtection[]) =>
  startSystem({ removeAlso, proxied: ["postgres"], env: { ACCESS_LOG_SAMPLE: "1", ...REPORT_SDK } });

const restOf = ({ demo }: System): Rest => restFor(demo, demo.users.orgAdmin.token);
const organizationOf = ({ demo }: System) => ({ organizationId: demo.organizations[0]?.id });

/** Returns what the programs have written for a request: `<program>: <message> <route, RPC or event> <code>`. */
const linesOf = ({ programs }: System, requestId: string): string[] => {
  const text = ({ msg, route, method, type, code }: LogLine) =>
    [msg, route ?? method ?? type, code].filter((part) => part !== undefined).join(" ");
  return programs.flatMap((program) =>
    program.log().flatMap((line) => (line["requestId"] === requestId ? [`${program.name}: ${text(line)}`] : [])),
  );
};

/**
 * Returns the lines for a request once all programs have written the lines of a later one, which the gateway sends by
 * each of them: lines are written in the background, in their order.
 */
async function settledLines(
  system: System,
  requestId: string,
  last: string,
  services: readonly string[] = ["workspace", "environment", "identity"],
): Promise<string[]> {
  await waitFor(() => linesOf(system, requestId).some((line) => line.startsWith(last)) || undefined, WITHIN);
  const organization = `?orgId=${system.demo.organizations[0]?.id}`;
  const ids = await Promise.all(
    ["/workspaces", "/environments", "/identity/teams"].map(async (path) => {
      const { headers } = await restOf(system).get(path + organization);
      return headers.get("x-request-id") ?? "";
    }),
  );
  const isWritten = (program: string, id: string) =>
    linesOf(system, id).some((line) => line.startsWith(`${program}: request`));
  const areWritten = () =>
    services.every((service, index) => isWritten(service, ids[index] ?? "")) &&
    ids.every((id) => isWritten("gateway", id));
  await waitFor(() => areWritten() || undefined, WITHIN);
  return linesOf(system, requestId).toSorted();
}

/** Assigns an environment while its service is without its database. Returns the id that the user is given. */
async function failAtTheSecondHop(system: System): Promise<string> {
  const { body: workspace } = await restOf(system).post("/workspaces", { name: "w", ...organizationOf(system) });
  system.proxies.postgres.environment.refuse();
  const path = `/workspaces/${workspace.id}/environments/${system.demo.environments.ordinary}`;
  const failed = await restOf(system).post(path);
  system.proxies.postgres.environment.heal();
  expect([failed.status, failed.body.code]).toEqual([503, "UNAVAILABLE"]);
  return failed.body.requestId;
}

/** Deletes an environment of a workspace. Returns the id of that request. */
async function deleteLinked(system: System): Promise<string> {
  const rest = restOf(system);
  const { body: workspace } = await rest.post("/workspaces", { name: "w", ...organizationOf(system) });
  const { body: environment } = await rest.post("/environments", { name: "e", ...organizationOf(system) });
  await rest.post(`/workspaces/${workspace.id}/environments/${environment.id}`);
  const { headers, status } = await rest.delete(`/environments/${environment.id}`);
  expect(status).toBe(204);
  await waitFor(async () => {
    const { body } = await rest.get(`/workspaces/${workspace.id}/events?search=was%20deleted`);
    return body.totalCount > 0 || undefined;
  }, WITHIN);
  return headers.get("x-request-id") ?? "";
}

describe("the id that a user was given finds the story in every program's log", () => {
  let system: System;
  beforeAll(async () => {
    system = await startWithout([]);
  }, 120_000);
  afterAll(() => system.stop());

  test("of an error that arises behind the second hop", async () => {
    const lines = await settledLines(system, await failAtTheSecondHop(system), "gateway: request");
    const assign = "workspace.v1.WorkspaceService/AssignEnvironment";
    expect(lines).toEqual([
      "environment: call failed BatchGetEnvironments",
      "environment: request environment.v1.DirectoryService/BatchGetEnvironments UNAVAILABLE",
      "gateway: request POST /api/workspaces/{id}/environments/{environment_id} UNAVAILABLE",
      "gateway: responded with UNAVAILABLE AssignEnvironment",
      "identity: request identity.v1.AuthService/BatchAuthenticate OK",
      "workspace: call failed AssignEnvironment",
      `workspace: request ${assign} UNAVAILABLE`,
    ]);
  });

  test("of an event's effect, and of the calls that it makes", async () => {
    const lines = await settledLines(system, await deleteLinked(system), "workspace: event applied");
    expect(lines).toEqual([
      "environment: request cloud.api.v1.RecordStateService/BatchGetRecordStates OK",
      "environment: request environment.v1.EnvironmentService/DeleteEnvironment OK",
      "gateway: request DELETE /api/environments/{id} OK",
      "identity: request identity.v1.AuthService/BatchAuthenticate OK",
      "workspace: event applied environment.v1.EnvironmentDeleted",
    ]);
  });

  test("by the command of docs/observability.md", async () => {
    const requestId = await deleteLinked(system);
    await settledLines(system, requestId, "workspace: event applied");
    const folder = testFolder();
    for (const { name, log } of system.programs) {
      writeFileSync(
        join(folder, `${name}.log`),
        log()
          .map((line) => `${JSON.stringify(line)}\n`)
          .join(""),
      );
    }
    const page = readFileSync(new URL("../../../docs/observability.md", import.meta.url), "utf8");
    const command = /^ {4}(grep .*)$/m.exec(page)?.[1] ?? "";
    const env = { PATH: process.env["PATH"], ID: requestId, LOGS: folder };
    const found = execFileSync("sh", ["-c", command], { env, encoding: "utf8" });
    expect(found.trimEnd().split("\n")).toHaveLength(5);
  });

  test("with who called, and with the status and the code of a 4xx", async () => {
    const { demo } = system;
    const rest = restFor(demo, demo.users.user.token);
    const { body } = await rest.post("/environments", organizationOf(system));
    const lineOf = (name: string) =>
      system.programs
        .find((program) => program.name === name)
        ?.log()
        .find(({ requestId, msg }) => requestId === body.requestId && msg === "request");
    const writtenBy = (name: string) => waitFor(() => lineOf(name), WITHIN);
    const refused = { status: 403, code: "PERMISSION_DENIED", caller: demo.users.user.id };
    expect(await writtenBy("gateway")).toMatchObject(refused);
    expect(await writtenBy("environment")).toMatchObject(refused);
    expect(await writtenBy("identity")).toMatchObject({ status: 200, caller: "environment" });
    const unknown = await restFor(demo, undefined).get("/workspaces?orgId=all");
    const lineOfUnknown = () => linesOf(system, unknown.body.requestId)[0];
    expect(await waitFor(lineOfUnknown, WITHIN)).toBe("gateway: request GET /api/workspaces UNAUTHENTICATED");
  });

  test("without OTEL_*, no program loads a module of the SDK", async () => {
    expect((await restOf(system).get("/identity/users/profile")).status).toBe(200);
    expect(system.programs.flatMap((program) => program.log().filter(({ level }) => level === "raw"))).toEqual([]);
  });
});

test("control: programs that call each other without the id leave no line of the second hop", async () => {
  const system = await startWithout(uncorrelated);
  try {
    // No line of a service has the id of a later request either.
    const lines = await settledLines(system, await failAtTheSecondHop(system), "gateway: request", []);
    expect(lines.map((line) => line.split(":", 1)[0])).toEqual(["gateway", "gateway"]);
  } finally {
    await system.stop();
  }
}, 120_000);

test("control: without the cause in the outbox, no effect is found", async () => {
  const system = await startWithout(causeless);
  try {
    const lines = await settledLines(system, await deleteLinked(system), "gateway: request");
    expect(lines.filter((line) => line.includes("event applied"))).toEqual([]);
    expect(lines.length).toBeGreaterThan(0);
  } finally {
    await system.stop();
  }
}, 120_000);
