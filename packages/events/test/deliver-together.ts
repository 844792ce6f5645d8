import type { EventTransport } from "../src/event-transport.ts";

/**
 * Keeps events from the consumer until `count` of them have arrived, which it then receives in one turn of the loop.
 */
export function deliverTogether(transport: EventTransport, count: number): EventTransport {
  const held: (() => void)[] = [];
  let isOpen = false;
  return {
    ...transport,
    consume: (source, onDelivery) =>
      transport.consume(source, (delivery) => {
        if (isOpen) return onDelivery(delivery);
        held.push(() => void onDelivery(delivery));
        isOpen = held.length === count;
        if (isOpen) for (const deliver of held) deliver();
        return Promise.resolve();
      }),
  };
}
