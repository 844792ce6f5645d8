import { beginJudgements } from "./judgements.ts";
import { startTestServers } from "./test-servers.ts";

// biome-ignore lint/style/noDefaultExport: jest takes a global setup by its default export
export default async function setUp(): Promise<void> {
  beginJudgements();
  await startTestServers();
}
