import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { type NatsUsers, startNats } from "@cloud/local-servers";
import { type ConnectionOptions, connect, type NatsConnection } from "nats";
import { currentTestRun, noteOpened } from "./test-servers.ts";

export interface TestNats {
  /**
   * The URL with the login of the operator, who may do everything: for the tools of a test, and for services that it
   * makes up.
   */
  url: string;
  /** Returns the URL with the login of a service, which may do what it may in production. */
  urlOf(service: string): string;
  users: NatsUsers;
  /** The users and their permissions, for another server on the same port. */
  configurationFile: string;
  pid: number;
  /** JetStream's files. Deleted by `stop` unless the caller passed the folder. */
  storeFolder: string;
  stop(): Promise<void>;
}

/**
 * Starts a nats-server with JetStream for a single test, in about 20 ms. To restart one, pass the `port` and the
 * `storeFolder` of the first; the caller then deletes the folder. With its `users`, the logins stay the same, too.
 */
export async function startTestNats(
  again: { port?: number; storeFolder?: string; users?: NatsUsers | undefined } = {},
): Promise<TestNats> {
  const { folder, natsServer } = currentTestRun();
  if (natsServer === "") throw new Error("tests need a nats-server: put one on the PATH (it could not be fetched)");
  const storeFolder = again.storeFolder ?? mkdtempSync(join(folder, "nats-"));
  const nats = await startNats({ binary: natsServer, port: again.port, storeFolder, users: again.users });
  const noteClosed = noteOpened("nats-server", `${basename(storeFolder)}-${nats.pid}`);

  const stop = async () => {
    await nats.stop();
    if (again.storeFolder === undefined) await rm(storeFolder, { recursive: true, force: true });
    noteClosed();
  };
  const { users, configurationFile, pid } = nats;
  const urlOf = (user: string) => users.loginTo(nats.url, user);
  return { url: urlOf("operator"), urlOf, users, configurationFile, pid, storeFolder, stop };
}

/**
 * Connects a tool of a test with the login in the URL, which the client of NATS itself would ignore, and with the
 * inboxes that the user may read. The URLs of the members of a cluster are separated by commas.
 */
export async function connectToNats(url: string, options: ConnectionOptions = {}): Promise<NatsConnection> {
  const servers = url.split(",").map((one) => new URL(one));
  const { username: user, password: pass } = servers[0] ?? new URL(url);
  return await connect({
    servers: servers.map(({ host }) => host),
    user,
    pass,
    inboxPrefix: `_INBOX_${user}`,
    ...options,
  });
}
