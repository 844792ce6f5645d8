export type { CallSettings } from "./call-settings.ts";
export { type ClientOptions, createClient } from "./create-client.ts";
export { createResilientTransport } from "./resilient-transport.ts";
