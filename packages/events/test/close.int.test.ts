import { startTestNats, testTelemetry, waitFor } from "@cloud/testkit";
import { expect, test } from "@jest/globals";
import { connectNats } from "../src/nats/connect-nats.ts";

const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;

test("a connection that was closed leaves no timer, which would keep the process alive", async () => {
  const nats = await startTestNats();
  try {
    const before = timers();
    const transport = connectNats({ url: nats.url, clientName: "test", telemetry: testTelemetry() });
    await waitFor(() => (transport.isConnected() ? true : undefined), { deadlineMs: 30_000 });
    await transport.close();
    expect(timers()).toBe(before);
  } finally {
    await nats.stop();
  }
});
