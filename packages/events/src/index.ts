export {
  appendEvent,
  appendEvents,
  insertionOf,
  messagingMigrations,
  purgedInbox,
  purgedOutbox,
} from "./append-event.ts";
export { startConsumer } from "./consumer/consumer.ts";
export { batchEffect, type Effect, effect, Unreadable, type Verdict } from "./consumer/effect.ts";
export { reverifyUnknown } from "./consumer/parking.ts";
export type { EventMessage, EventTransport, OnDelivery, SignalSubscription } from "./event-transport.ts";
export { deleteParked, listParked, replayParked } from "./parked-messages.ts";
export { startRelay } from "./relay/relay.ts";
