// Imports nothing of Node, for browsers.
export { type CallSettings, createResilientTransport } from "./resilient-transport.ts";
