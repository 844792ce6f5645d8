import { type ConnectionOptions, connect, type NatsConnection } from "nats";

/**
 * Connects a tool of a test with the login in the URL, which the client of NATS itself would ignore, and with the inboxes
 * that the user may read.
 */
export async function connectToNats(url: string, options: ConnectionOptions = {}): Promise<NatsConnection> {
  const { host, username: user, password: pass } = new URL(url);
  return await connect({ servers: host, user, pass, inboxPrefix: `_INBOX_${user}`, ...options });
}
