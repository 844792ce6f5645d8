import { headers, type MsgHdrs, type NatsConnection } from "nats";
import type { EventMessage, Publication } from "../event-transport.ts";
import type { PublishToStream } from "./stream-publisher.ts";
import { streamName, undefinedWhenMissing } from "./topology.ts";

const TIMEOUT_MS = 2000;
/** Each round is another loss of the same event within the duplicate window of 2 minutes. */
const MOST_ROUNDS = 5;

/**
 * Resolves once the stream has stored the event. The server drops a message whose id it has seen within the duplicate
 * window, even if the message itself was purged or deleted since; so "duplicate" counts only if the event is found at
 * the sequence that the server returns. If it is not, the event is published under an id built from its own id and that
 * sequence: two relays build the same one, so they do not store it twice.
 */
export async function publishEvent(
  nc: NatsConnection,
  publish: PublishToStream,
  message: EventMessage,
): Promise<Publication> {
  let messageId = message.id;
  for (let round = 1; round <= MOST_ROUNDS; round++) {
    const { sequence, isDuplicate } = await publish(message.subject, message.payload, headersOf(message, messageId));
    if (!isDuplicate) return { sequence, isNew: true };
    if ((await readEventId(nc, sequence)) === message.id) return { sequence, isNew: false };
    messageId = `${message.id}/${sequence}`;
  }
  throw new Error(`event ${message.id} left the stream ${MOST_ROUNDS} times within 2 minutes; it is published later`);
}

/** Returns the id of the event stored at a sequence; undefined if there is none. */
export async function readEventId(nc: NatsConnection, sequence: number): Promise<string | undefined> {
  const jsm = await nc.jetstreamManager({ checkAPI: false, timeout: TIMEOUT_MS });
  const stored = await jsm.streams.getMessage(streamName, { seq: sequence }).catch(undefinedWhenMissing);
  return stored?.header.get("Nats-Msg-Id").split("/", 1)[0];
}

function headersOf(message: EventMessage, messageId: string): MsgHdrs {
  const all = { ...message.headers, "Nats-Msg-Id": messageId, "Nats-Expected-Stream": streamName };
  const sent = headers();
  for (const [name, value] of Object.entries(all)) sent.append(name, value); // `set` searches all of them twice
  return sent;
}
