import { printNotJudged } from "./judgements.ts";
import { stopTestServers } from "./test-servers.ts";

// biome-ignore lint/style/noDefaultExport: jest takes a global teardown by its default export
export default async function tearDown(): Promise<void> {
  printNotJudged();
  await stopTestServers();
}
