// biome-ignore lint/style/noDefaultExport: jest takes a global setup by its default export
export { startTestServers as default } from "./test-servers.ts";
