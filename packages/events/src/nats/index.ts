export { connectNats } from "./connect-nats.ts";
export { type RewindOptions, rewindConsumer } from "./durable.ts";
export { type NatsAccess, natsPermissions } from "./nats-access.ts";
export { natsAccess, natsSettings } from "./nats-settings.ts";
