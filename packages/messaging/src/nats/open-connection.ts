import { connect, type NatsConnection } from "nats";
import { inboxPrefix } from "./inbox-prefix.ts";
import { type ParsedAccess, readAccess } from "./nats-access.ts";

/** Opens a connection, which ends for good when it is lost. @throws NatsError */
export async function openConnection(access: ParsedAccess, clientName: string): Promise<NatsConnection> {
  return await connect({
    ...(await readAccess(access)),
    name: clientName,
    inboxPrefix: inboxPrefix(clientName),
    reconnect: false,
    timeout: 2000,
    // An unresponsive server is detected at the third unanswered ping: after 4.5 s.
    pingInterval: 1500,
    maxPingOut: 2,
  });
}
