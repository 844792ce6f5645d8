import { describe, expect, test } from "@jest/globals";
import pg from "pg";
import { startTestNats } from "../src/start-test-nats.ts";
import { createTestDatabase } from "../src/test-database.ts";
import { testTelemetry, waitFor } from "../src/test-telemetry.ts";

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

describe("createTestDatabase", () => {
  test("gives an owner of one schema and of nothing else, and a role without any rights yet", async () => {
    const database = await createTestDatabase("orders");
    await withClient(database.ownerUrl, async (client) => {
      await client.query("CREATE TABLE orders.t (id int)");
      await expect(client.query("CREATE SCHEMA other")).rejects.toThrow("permission denied");
      await expect(client.query("CREATE ROLE other")).rejects.toThrow("permission denied");
    });
    await withClient(database.url, async (client) => {
      await expect(client.query("SELECT FROM orders.t")).rejects.toThrow("permission denied");
    });
    await database.drop();
  });

  test("keeps two databases apart", async () => {
    const [one, other] = await Promise.all([createTestDatabase(), createTestDatabase()]);
    const foreign = new URL(one.url);
    foreign.pathname = new URL(other.url).pathname;
    await expect(withClient(foreign.href, async () => undefined)).rejects.toThrow("permission denied");
    await Promise.all([one.drop(), other.drop()]);
  });

  test("drop names the clients that left a connection open", async () => {
    const database = await createTestDatabase("test", { graceMs: 100 });
    const forgotten = new pg.Client({ connectionString: database.url, application_name: "forgetful" });
    forgotten.on("error", () => undefined);
    await forgotten.connect();
    await expect(database.drop()).rejects.toThrow("forgetful");
    await forgotten.end().catch(() => undefined);
  });
});

describe("startTestNats", () => {
  test("starts servers that are independent of each other, and restarts one", async () => {
    const [one, other] = await Promise.all([startTestNats(), startTestNats()]);
    expect(one.url).not.toBe(other.url);
    await other.stop();
    const again = await startTestNats({ port: Number(new URL(other.url).port), users: other.users });
    expect(again.url).toBe(other.url);
    await Promise.all([one.stop(), again.stop()]);
  });
});

describe("waitFor", () => {
  test("returns what the condition returns", async () => {
    let calls = 0;
    expect(await waitFor(() => (++calls === 3 ? "third" : undefined), { deadlineMs: 30_000 })).toBe("third");
  });

  test("gives up with the last reason", async () => {
    const refuse = () => Promise.reject(new Error("not yet"));
    await expect(waitFor(refuse, { deadlineMs: 20 })).rejects.toThrow("in 20 ms: not yet");
  });
});

test("testTelemetry gives each test metrics of its own", () => {
  expect(testTelemetry().metrics).not.toBe(testTelemetry().metrics);
});
