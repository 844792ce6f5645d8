// biome-ignore lint/style/noDefaultExport: jest takes a global setup by its default export
export { startTestServers as default } from "../src/test-servers.ts";
