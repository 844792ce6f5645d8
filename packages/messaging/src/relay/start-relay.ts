import { listen } from "@cloud/postgres";
import { createWake } from "../wake.ts";
import { createRelayLoop, type RelayOptions } from "./relay-loop.ts";

/**
 * Publishes the committed events of an outbox until it is stopped. Several relays may share one outbox.
 * It is woken by the NOTIFY of each commit with events, and every second as a safety net; then it also compares published
 * events with the stream and republishes those the stream has lost.
 */
export function startRelay(options: RelayOptions): { stop(): Promise<void> } {
  const { db, transport, telemetry } = options;
  const stopping = new AbortController();
  const wake = createWake();
  const loop = createRelayLoop(options);
  const check = () => {
    loop.checkIsDue();
    wake.now();
  };
  const { log, conditions } = telemetry;
  const listener = listen({ db, channel: `outbox_${db.schema}`, onNotification: wake.now, log, conditions });
  const endStatus = transport.onStatusChange(check);
  const second = setInterval(check, 1000);
  const running = loop.run(wake.wait, stopping.signal);
  return {
    stop: async () => {
      stopping.abort();
      clearInterval(second);
      endStatus();
      wake.now();
      await Promise.all([listener.stop(), running]);
    },
  };
}
