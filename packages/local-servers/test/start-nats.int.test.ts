import { execFile } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { connectToNats, currentTestRun, testFolder } from "@cloud/testkit";
import { describe, expect, test } from "@jest/globals";
import { connect } from "nats";
import { startNats, takeStablePort } from "../src/index.ts";
import { argvOf } from "../src/running-processes.ts";

describe("startNats", () => {
  test("serves with JetStream, and again on the same store and port", async () => {
    const storeFolder = join(testFolder(), "store");
    const binary = currentTestRun().natsServer;
    const first = await startNats({ binary, storeFolder });
    expect(existsSync(join(storeFolder, "jetstream"))).toBe(true);
    await first.stop();
    await first.stop();
    const second = await startNats({ binary, storeFolder, port: Number(new URL(first.url).port) });
    expect(second.url).toBe(first.url);
    await second.stop();
  });

  test.each([
    ["without a login", {}],
    ["with an unknown user", { user: "stranger", pass: "p" }],
    ["with a wrong password", { user: "operator", pass: "p" }],
    ["with an empty password", { user: "operator", pass: "" }],
    ["with a token", { token: "t" }],
  ])("refuses a client %s", async (_what, login) => {
    const nats = await startNats({ binary: currentTestRun().natsServer, storeFolder: testFolder() });
    try {
      const { host } = new URL(nats.url);
      const attempt = connect({ servers: host, reconnect: false, ...login });
      await expect(attempt).rejects.toThrow("Authorization Violation");
      await (await connectToNats(nats.users.loginTo(nats.url, "workspace"))).close();
    } finally {
      await nats.stop();
    }
  });

  test("control: a server without users accepts a client without a login", async () => {
    const users = { configuration: "", loginTo: (url: string) => url };
    const nats = await startNats({ binary: currentTestRun().natsServer, storeFolder: testFolder(), users });
    await (await connect({ servers: new URL(nats.url).host })).close();
    await nats.stop();
  });

  test("writes the passwords to a file that only its owner can read, and to no command line", async () => {
    const nats = await startNats({ binary: currentTestRun().natsServer, storeFolder: testFolder() });
    const { password } = new URL(nats.users.loginTo(nats.url, "workspace"));
    expect(statSync(nats.configurationFile).mode & 0o777).toBe(0o600);
    expect(readFileSync(nats.configurationFile, "utf8")).toContain(password);
    expect(argvOf(nats.pid)?.join(" ")).toContain(nats.configurationFile);
    expect(argvOf(nats.pid)?.join(" ")).not.toContain(password);
    await nats.stop();
  });

  test("reports which port is in use", async () => {
    const port = await takeStablePort();
    const other = createServer().listen(port, "127.0.0.1").unref();
    const attempt = startNats({ binary: currentTestRun().natsServer, storeFolder: testFolder(), port });
    await expect(attempt).rejects.toMatchObject({ fault: "PORT_IN_USE", message: expect.stringContaining(`:${port}`) });
    other.close();
  });

  test("reports that the program is missing", async () => {
    const attempt = startNats({ binary: "/nowhere/nats-server", storeFolder: testFolder() });
    await expect(attempt).rejects.toMatchObject({ fault: "SERVER_MISSING" });
  });
});

describe("findNatsServer", () => {
  /** Runs `findNatsServer` in a separate process, because a test cannot change the PATH of its own child processes. */
  async function findWith(path: string): Promise<{ found: string; lines: string[] }> {
    const program = join(import.meta.dirname, "find-and-print.ts");
    const { stdout } = await promisify(execFile)(process.execPath, [program, testFolder()], { env: { PATH: path } });
    return JSON.parse(stdout) as { found: string; lines: string[] };
  }

  test("uses the one on the PATH", async () => {
    const binary = currentTestRun().natsServer;
    expect(await findWith(`/nowhere:${dirname(binary)}`)).toEqual({ found: binary, lines: [] });
  });

  test("returns undefined and logs why if nothing can be fetched", async () => {
    const { found, lines } = await findWith("/nowhere");
    expect(found).toBe("none");
    expect(lines.at(-1)).toContain("no apt-get");
  });
});
