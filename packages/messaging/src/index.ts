export { appendEvent, appendEvents, insertionOf } from "./append-event.ts";
export { type ConsumerOptions, startConsumer } from "./consumer/consumer.ts";
export { batchEffect, type Effect, effect, Unreadable, type Verdict } from "./consumer/effect.ts";
export { type Reverified, reverifyUnknown } from "./consumer/parking.ts";
export type { Envelope } from "./event-headers.ts";
export type {
  Delivery,
  EventMessage,
  EventTransport,
  OnDelivery,
  Publication,
  SignalSubscription,
  StreamState,
} from "./event-transport.ts";
export { messagingMigrations, purgedInbox, purgedOutbox } from "./messaging-tables.ts";
export { connectNats, type NatsOptions } from "./nats/connect-nats.ts";
export type { NatsAccess } from "./nats/nats-access.ts";
export { type NatsPermissions, natsPermissions } from "./nats/nats-permissions.ts";
export { natsAccess, natsSettings } from "./nats/nats-settings.ts";
export { type RewindOptions, type Rewound, rewindConsumer } from "./nats/rewind-consumer.ts";
export { deleteParked, listParked, type ParkedSummary, replayParked } from "./parked-messages.ts";

export { type RelayOptions, startRelay } from "./relay/relay.ts";
