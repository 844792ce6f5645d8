import { createInbox, ErrorCode, Events, headers, type Msg, type MsgHdrs, type NatsConnection } from "nats";
import type { EventMessage, Publication } from "../event-transport.ts";
import { streamName } from "./topology.ts";

const TIMEOUT_MS = 2000;

/**
 * Resolves once the stream has stored the event, now or before; throws if it refuses, or does not reply in 2 s. The server
 * drops an event whose id it has seen within the duplicate window, even if the event was purged or deleted since.
 */
export type PublishToStream = (event: EventMessage) => Promise<Publication>;

interface Waiting {
  readonly subject: string;
  readonly until: number;
  readonly resolve: (publication: Publication) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Creates the function that publishes over a connection. All replies arrive at one subscription and share one timer. The
 * client's own `publish` creates a timer, a random inbox and three errors with their stacks per message, even if it
 * succeeds: with it, a relay takes 113 instead of 66 µs of processor time per event.
 */
export function createStreamPublisher(nc: NatsConnection, inboxPrefix: string): PublishToStream {
  const inbox = createInbox(inboxPrefix);
  /** In the order in which they expire. */
  const waiting = new Map<string, Waiting>();
  let timer: NodeJS.Timeout | undefined;
  let count = 0;
  let isSubscribed = false;

  const take = (reply: string): Waiting | undefined => {
    const one = waiting.get(reply);
    waiting.delete(reply);
    return one;
  };
  const rejectWhere = (error: Error, isMeant: (one: Waiting) => boolean) => {
    for (const [reply, one] of waiting) if (isMeant(one)) take(reply)?.reject(error);
  };
  const expire = () => {
    const now = performance.now();
    rejectWhere(new Error("JetStream did not confirm an event in 2 s"), ({ until }) => until <= now);
    const [next] = waiting.values();
    timer = next === undefined ? undefined : setTimeout(expire, next.until - now).unref();
  };

  const receive = (error: Error | null, message: Msg) => {
    if (error !== null) {
      isSubscribed = false; // the server ends a subscription that it refuses
      return rejectWhere(error, () => true);
    }
    const one = take(message.subject);
    if (one === undefined) return; // it has expired
    try {
      one.resolve(readReply(message));
    } catch (refusal) {
      one.reject(refusal as Error);
    }
  };
  void nc.closed().then(() => {
    clearTimeout(timer);
    rejectWhere(new Error("the connection to NATS was lost before JetStream confirmed an event"), () => true);
  });
  void watchRefusals(nc, (subject, error) => rejectWhere(error, (one) => one.subject === subject));

  return (event) =>
    new Promise((resolve, reject) => {
      if (!isSubscribed) nc.subscribe(`${inbox}.*`, { callback: receive });
      isSubscribed = true;
      const reply = `${inbox}.${++count}`;
      nc.publish(event.subject, event.payload, { headers: headersOf(event), reply });
      waiting.set(reply, { subject: event.subject, until: performance.now() + TIMEOUT_MS, resolve, reject });
      timer ??= setTimeout(expire, TIMEOUT_MS).unref();
    });
}

/** @throws Error that states why the message was not stored */
function readReply(message: Msg): Publication {
  if (message.data.length === 0 && `${message.headers?.code}` === ErrorCode.NoResponders) {
    throw new Error("no stream has the subject of an event");
  }
  const { seq, duplicate, error } = message.json<{
    seq?: number;
    duplicate?: boolean;
    error?: { description?: string };
  }>();
  if (error !== undefined) throw new Error(`the stream refused an event: ${error.description}`);
  if (!seq) throw new Error("JetStream replied without a sequence");
  return { sequence: seq, isNew: duplicate !== true };
}

function headersOf({ id, headers: own }: EventMessage): MsgHdrs {
  const all = { ...own, "Nats-Msg-Id": id, "Nats-Expected-Stream": streamName };
  const sent = headers();
  for (const [name, value] of Object.entries(all)) sent.append(name, value); // `set` searches all of them twice
  return sent;
}

/** Reports the subjects to which the server does not let this client publish. */
async function watchRefusals(nc: NatsConnection, report: (subject: string, error: Error) => void): Promise<void> {
  for await (const { type, data, permissionContext } of nc.status()) {
    if (type !== Events.Error || permissionContext?.operation !== "publish") continue;
    report(permissionContext.subject, new Error(`NATS refuses ${permissionContext.subject}: ${String(data)}`));
  }
}
