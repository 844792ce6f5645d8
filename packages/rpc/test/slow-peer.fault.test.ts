import { fileURLToPath } from "node:url";
import { AccessService } from "@cloud/proto/workspace/v1/access_service_pb";
import { startProgram, takeStablePort, without } from "@cloud/testkit";
import { ConnectError, createClient } from "@connectrpc/connect";
import { afterEach, expect, test } from "@jest/globals";
import { createServiceTransport } from "../src/index.ts";
import { TOKEN } from "./start-access-server.ts";

/** The server gives no sign of life while it is at work. */
const PROGRESS = {
  file: "packages/rpc/src/server/report-progress.ts",
  find: "if (since < beat - 1 && !response.headersSent) response.writeProcessing();",
  replace: "void since;",
};

const resources: (() => unknown)[] = [];
afterEach(async () => {
  for (const release of resources.splice(0).reverse()) await release();
});

/** Calls a peer that takes 6 s. */
async function callSlow({ preload = [], env = {} }: Partial<ReturnType<typeof without>> = {}): Promise<string> {
  const main = fileURLToPath(new URL("slow-peer/program.ts", import.meta.url));
  const [port, operatorPort] = [await takeStablePort(), await takeStablePort()];
  const program = await startProgram({ name: "slow", main, port, operatorPort, env, preload });
  resources.push(program.close);
  const transport = createServiceTransport({ url: program.url, serviceToken: TOKEN, deadlineMs: 20_000 });
  resources.push(transport.close);
  const call = createClient(AccessService, transport).checkAccess({});
  return await call.then(
    ({ allowed }) => `allowed: ${allowed}`,
    (error: unknown) => ConnectError.from(error).rawMessage,
  );
}

test("a peer that takes longer than it may be silent is waited for, because it gives signs of life", async () => {
  expect(await callSlow()).toBe("allowed: true");
});

test("control: without signs of life it counts as gone", async () => {
  expect(await callSlow(without([PROGRESS]))).toBe("the peer is silent");
});
