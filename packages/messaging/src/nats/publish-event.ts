import { ErrorCode, headers, type NatsConnection, NatsError } from "nats";
import type { EventMessage, Publication } from "../event-transport.ts";
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
export async function publishEvent(nc: NatsConnection, message: EventMessage): Promise<Publication> {
  let messageId = message.id;
  for (let round = 1; round <= MOST_ROUNDS; round++) {
    const { seq: sequence, duplicate } = await send(nc, message, messageId);
    if (!duplicate) return { sequence, isNew: true };
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

async function send(nc: NatsConnection, message: EventMessage, messageId: string) {
  const sent = headers();
  for (const [name, value] of Object.entries(message.headers)) sent.set(name, value);
  const options = { msgID: messageId, headers: sent, expect: { streamName }, timeout: TIMEOUT_MS };
  return await nc.jetstream().publish(message.subject, message.payload, options).catch(explain);
}

/** Replaces the client's own messages, which are `TIMEOUT` and `503`. */
function explain(error: unknown): never {
  if (!(error instanceof NatsError)) throw error;
  const { api_error: refusal, code } = error;
  if (refusal) throw new Error(`the stream refused an event: ${refusal.description}`, { cause: error });
  if (code === ErrorCode.Timeout) throw new Error("JetStream did not confirm an event in 2 s", { cause: error });
  if (code === ErrorCode.NoResponders) throw new Error("no stream has the subject of an event", { cause: error });
  throw error;
}
