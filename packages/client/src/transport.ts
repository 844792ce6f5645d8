// Imports nothing of Node, for browsers.
export type { CallSettings } from "./call-settings.ts";
export { createResilientTransport } from "./resilient-transport.ts";
