export { type ClientOptions, createClient } from "./create-client.ts";
export { type CallSettings, createResilientTransport } from "./resilient-transport.ts";
