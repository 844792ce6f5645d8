import { startTestServers } from "./test-servers.ts";

// biome-ignore lint/style/noDefaultExport: jest takes a global setup by its default export
export default startTestServers;
