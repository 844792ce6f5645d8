import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { createNatsUsers, type NatsUsers, startServerProcess } from "@cloud/local-servers";
import { currentTestRun, startTestNats, takeStablePort, testFolder } from "@cloud/testkit";
import type { RestartableNats } from "@cloud/testkit/faults";
import type { Secrets } from "./secrets.ts";

/** A nats-server that reads the services' passwords from their Secrets, when it starts or is reloaded. */
export interface ClusterNats extends RestartableNats {
  /** `http://…` of its monitoring port. */
  readonly monitor: string;
  /** The URL without a login. */
  readonly plainUrl: string;
  readonly operatorPassword: string;
  isRunning(): boolean;
  /** Gives a user another password than the Secret's, or the Secret's again, from the next reload on. */
  setPassword(user: string, password: string | undefined): void;
  /** Runs `nats-server` with these arguments, in the pod. */
  run(args: readonly string[]): { code: number; stdout: string; stderr: string };
  /** Starts a nats-server without JetStream on the port of the killed one. */
  startWithoutJetStream(): Promise<void>;
  log(): string;
  readonly storeFolder: string;
}

const SERVICES = ["identity", "environment", "workspace"];

/** Starts NATS whose services may not update the stream, as deploy/README.md describes: an operator does. */
export async function startClusterNats(secrets: Secrets): Promise<ClusterNats> {
  const port = await takeStablePort();
  const monitorPort = await takeStablePort();
  const storeFolder = testFolder();
  const plainUrl = `nats://127.0.0.1:${port}`;
  const users = createNatsUsers({ mayUpdateStream: false });
  const passwordOf = (user: string) => new URL(users.loginTo(plainUrl, user)).password;
  for (const name of SERVICES) secrets.set(`${name}-nats`, { password: passwordOf(name) });

  const others = new Map<string, string>();
  const configuration = () => {
    const current = (name: string) => others.get(name) ?? secrets.get(`${name}-nats`)["password"] ?? "";
    const replaced = SERVICES.reduce(
      (text, name) => text.replaceAll(passwordOf(name), current(name)),
      users.configuration,
    );
    return `http: "127.0.0.1:${monitorPort}"\n${replaced}`;
  };
  const current: NatsUsers = {
    get configuration() {
      return configuration();
    },
    loginTo: users.loginTo,
  };
  const open = () => startTestNats({ storeFolder, port, users: current });
  let running: { readonly pid: number; stop(): Promise<void> } | undefined;
  const first = await open();
  running = first;
  const kill = async () => {
    await running?.stop();
    running = undefined;
  };
  const refuse = () => {
    throw new TypeError("this nats-server is killed and started, and nothing else");
  };
  return {
    url: users.loginTo(plainUrl, "operator"),
    urlOf: (user) => users.loginTo(plainUrl, user),
    plainUrl,
    port,
    storeFolder,
    monitor: `http://127.0.0.1:${monitorPort}`,
    operatorPassword: passwordOf("operator"),
    configurationFile: first.configurationFile,
    isRunning: () => running !== undefined,
    setPassword: (user, password) => {
      if (password === undefined) others.delete(user);
      else others.set(user, password);
    },
    run: (args) => {
      writeFileSync(first.configurationFile, configuration(), { mode: 0o600 });
      // In its pod it finds the one server by its name; here are others.
      const exact = args.map((arg) => (arg === "reload" ? `reload=${running?.pid}` : arg));
      const { status, stdout, stderr } = spawnSync(currentTestRun().natsServer, exact, { encoding: "utf8" });
      return { code: status ?? 1, stdout, stderr };
    },
    startWithoutJetStream: async () => {
      const server = await startServerProcess({
        command: currentTestRun().natsServer,
        args: ["--addr", "127.0.0.1", "--port", String(port), "--config", first.configurationFile],
        logFile: join(testFolder(), "nats.log"),
        lastSignal: "SIGTERM",
      });
      running = { pid: server.pid, stop: () => server.stop("SIGTERM", 5_000) };
    },
    log: () => readFileSync(join(storeFolder, "nats.log"), "utf8"),
    kill,
    start: async () => {
      running = await open();
    },
    stop: kill,
    wipe: () => rm(join(storeFolder, "jetstream"), { recursive: true, force: true }),
    backUpStore: refuse,
    backUpMessages: refuse,
    pause: refuse,
    resume: refuse,
  };
}
