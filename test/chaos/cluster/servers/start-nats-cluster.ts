import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { createNatsUsers, type NatsUsers } from "@cloud/local-servers";
import { currentTestRun, startTestNats, takeStablePort } from "@cloud/testkit";
import type { RestartableNats, Victim } from "@cloud/testkit/faults";

/** A member of a cluster of nats-servers. */
export interface NatsMember extends Victim {
  /** The name that JetStream reports, for example as the leader of a stream. */
  readonly name: string;
  /** Empties the store of a killed member: it returns with a new disk. */
  wipe(): Promise<void>;
}

/** Three nats-servers with one JetStream. As a server of a system, its URL names all members. */
export interface NatsCluster extends RestartableNats {
  readonly members: readonly [NatsMember, NatsMember, NatsMember];
}

const HOST = "127.0.0.1";
const NAMES = ["nats-0", "nats-1", "nats-2"] as const;

/** Starts three members with the users of production. */
export async function startNatsCluster(): Promise<NatsCluster> {
  const users = createNatsUsers();
  const ports = await Promise.all(NAMES.map(() => takeStablePort()));
  const routes = await Promise.all(NAMES.map(() => takeStablePort()));
  const members = (await Promise.all(
    NAMES.map((name, at) => startMember({ name, port: ports[at] ?? 0, users: clustered(users, name, at, routes) })),
  )) as [Member, Member, Member];
  const [first] = members;
  const urlOf = (user: string) => ports.map((port) => users.loginTo(`nats://${HOST}:${port}`, user)).join(",");
  const each = (act: (member: Member) => Promise<void>) => async () => void (await Promise.all(members.map(act)));
  const refuse = () => {
    throw new TypeError("the members of a cluster of NATS are killed, started and wiped one by one");
  };
  return {
    url: urlOf("operator"),
    urlOf,
    port: ports[0] ?? 0,
    configurationFile: first.configurationFile,
    members,
    kill: each((member) => member.kill()),
    start: each((member) => member.start()),
    stop: each((member) => member.stop()),
    wipe: each((member) => member.wipe()),
    backUpStore: refuse,
    backUpMessages: refuse,
    pause: refuse,
    resume: refuse,
  };
}

interface Member extends NatsMember {
  readonly configurationFile: string;
  stop(): Promise<void>;
}

/** Adds what makes a server a member to the configuration with the users. */
function clustered(users: NatsUsers, name: string, at: number, routes: readonly number[]): NatsUsers {
  const others = routes.map((port) => `"nats-route://${HOST}:${port}"`).join(", ");
  const cluster = `cluster { name: cloud, listen: "${HOST}:${routes[at]}", routes: [${others}] }`;
  return { ...users, configuration: `${users.configuration}\nserver_name: ${name}\n${cluster}\n` };
}

async function startMember(options: {
  readonly name: string;
  readonly port: number;
  readonly users: NatsUsers;
}): Promise<Member> {
  const { name, port, users } = options;
  const storeFolder = mkdtempSync(join(currentTestRun().folder, `${name}-`));
  const start = () => startTestNats({ storeFolder, port, users });
  let running = await start();
  const wipe = () => rm(storeFolder, { recursive: true, force: true });
  return {
    name,
    configurationFile: running.configurationFile,
    wipe,
    kill: async () => {
      process.kill(running.pid, "SIGKILL");
      await running.stop();
    },
    start: async () => {
      running = await start();
    },
    stop: async () => {
      await running.stop();
      await wipe();
    },
  };
}
