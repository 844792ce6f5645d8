import type { Telemetry } from "@cloud/telemetry";
import type { Subscription } from "nats";
import type { SignalSubscription } from "../event-transport.ts";
import type { KeptConnection } from "./keep-connected.ts";

/** Subscribes to a subject outside of the stream, again with each connection. */
export function listenToSignals(
  connection: KeptConnection,
  subject: string,
  listener: () => void,
  { log }: Pick<Telemetry, "log">,
): SignalSubscription {
  let subscription: Subscription | undefined;
  const subscribe = () => {
    subscription = connection.current()?.subscribe(subject, {
      callback: (error) => {
        if (error === null) return listener();
        subscription = undefined;
        log.warn({ err: error, subject }, "NATS refuses a subscription; see deploy/nats/authorization.conf");
      },
    });
  };
  subscribe();
  const endChange = connection.onChange(subscribe);
  return {
    isHeard: () => subscription?.isClosed() === false,
    stop: () => {
      endChange();
      subscription?.unsubscribe();
    },
  };
}
