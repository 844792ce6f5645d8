// biome-ignore lint/style/noDefaultExport: jest takes a global teardown by its default export
export { stopTestServers as default } from "../src/test-servers.ts";
