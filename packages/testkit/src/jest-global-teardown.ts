import { stopTestServers } from "./test-servers.ts";

// biome-ignore lint/style/noDefaultExport: jest takes a global teardown by its default export
export default stopTestServers;
