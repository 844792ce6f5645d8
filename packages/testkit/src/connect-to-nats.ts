import { type ConnectionOptions, connect, type NatsConnection } from "nats";

/**
 * Connects a tool of a test with the login in the URL, which the client of NATS itself would ignore, and with the inboxes
 * that the user may read. The URLs of the members of a cluster are separated by commas.
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
