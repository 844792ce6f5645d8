import { connect, type NatsConnection } from "nats";
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
    noAsyncTraces: true, // an error with its stack per request, even if it succeeds
  });
}

/**
 * Returns the beginning of the subjects at which a client receives replies. Each service has its own, so that its
 * permissions let it read its own replies only: with the usual `_INBOX` each could read those of all.
 */
export const inboxPrefix = (clientName: string): string => `_INBOX_${clientName}`;
