import { existsSync } from "node:fs";
import { open, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { CurriculumService } from "@cloud/proto/academy/v1/curriculum_service_pb";
import { ConnectionService } from "@cloud/proto/environment/v1/connection_service_pb";
import { EnvironmentService } from "@cloud/proto/environment/v1/environment_service_pb";
import { OrganizationService } from "@cloud/proto/identity/v1/organization_service_pb";
import { TeamService } from "@cloud/proto/identity/v1/team_service_pb";
import { TokenService } from "@cloud/proto/identity/v1/token_service_pb";
import { UserService } from "@cloud/proto/identity/v1/user_service_pb";
import { DesignService } from "@cloud/proto/workspace/v1/design_service_pb";
import { ViewService } from "@cloud/proto/workspace/v1/view_service_pb";
import { createServiceTransport } from "@cloud/rpc";
import { createClient } from "@connectrpc/connect";
import type { Stack } from "./stack.ts";
import type { Operators } from "./start-operators.ts";

/** The contents of `demo.json`: the addresses, and the records that the demo starts with. */
export interface Demo {
  gateway: string;
  services: { workspace: string; environment: string; identity: string };
  /** The URL of each program's operator port, with /readyz and /metrics. */
  operators: Operators;
  /** The operator's credential: accepted by the services for every RPC, and never by the gateway. */
  serviceToken: string;
  /** The two organizations. */
  organizations: { id: string; name: string }[];
  /** The first five hold the one role of that name in the first organization; the outsider is in the second only. */
  users: Record<DemoUserName, DemoUser>;
  teams: { first: string[]; second: string[] };
  designs: string[];
  views: string[];
  connections: string[];
  environments: { ordinary: string; platformProvisioned: string };
}

export interface DemoUser {
  id: string;
  /** A security token of the user. */
  token: string;
}

export type DemoUserName = "user" | "teamAdmin" | "workspaceAdmin" | "orgAdmin" | "providerAdmin" | "outsider";

/** Reads the demo; undefined if there is none, or none that can be read. */
export async function readDemo(file: string): Promise<Demo | undefined> {
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(await readFile(file, "utf8")) as Demo;
  } catch {
    return undefined;
  }
}

/** Writes the demo readable by its owner only, because of its tokens, and atomically even on a power failure. */
export async function writeDemo(file: string, demo: Demo): Promise<void> {
  const unfinished = `${file}.unfinished`;
  await writeFile(unfinished, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600, flush: true });
  await rename(unfinished, file); // protects: whole-demo-file
  await using folder = await open(dirname(file));
  await folder.sync();
}

export type DemoClients = ReturnType<typeof createDemoClients>;

/**
 * The time limit of a call, in milliseconds. On a busy machine programs that have just started reply late, which is no
 * reason to give up a start.
 */
const DEADLINE_MS = 30_000;

/** Creates clients of the services' RPC ports that act for the system, with the operator's credential. */
export function createDemoClients({ services, serviceToken }: Pick<Stack, "services" | "serviceToken">) {
  const connect = (url: string) => createServiceTransport({ url, serviceToken, deadlineMs: DEADLINE_MS });
  const identity = connect(services.identity);
  const environment = connect(services.environment);
  const workspace = connect(services.workspace);
  return {
    users: createClient(UserService, identity),
    organizations: createClient(OrganizationService, identity),
    teams: createClient(TeamService, identity),
    tokens: createClient(TokenService, identity),
    curricula: createClient(CurriculumService, identity),
    environments: createClient(EnvironmentService, environment),
    connections: createClient(ConnectionService, environment),
    designs: createClient(DesignService, workspace),
    views: createClient(ViewService, workspace),
  };
}
