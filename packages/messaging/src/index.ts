export {
  appendEvent,
  appendEvents,
  insertionOf,
  messagingMigrations,
  purgedInbox,
  purgedOutbox,
} from "./append-event.ts";
export { type ConsumerOptions, startConsumer } from "./consumer/consumer.ts";
export { batchEffect, type Effect, effect, Unreadable, type Verdict } from "./consumer/effect.ts";
export { type Reverified, reverifyUnknown } from "./consumer/parking.ts";
export type { Envelope } from "./envelope.ts";
export type {
  Delivery,
  EventMessage,
  EventTransport,
  OnDelivery,
  Publication,
  SignalSubscription,
  StreamState,
} from "./event-transport.ts";
export { connectNats, type NatsOptions } from "./nats/connect-nats.ts";
export { type RewindOptions, type Rewound, rewindConsumer } from "./nats/durable.ts";
export { type NatsAccess, type NatsPermissions, natsPermissions } from "./nats/nats-access.ts";
export { natsAccess, natsSettings } from "./nats/nats-settings.ts";
export { deleteParked, listParked, type ParkedSummary, replayParked } from "./parked-messages.ts";

export { type RelayOptions, startRelay } from "./relay/relay.ts";
