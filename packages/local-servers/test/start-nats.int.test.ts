import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { currentTestRun, testFolder } from "@cloud/testkit";
import { describe, expect, test } from "@jest/globals";
import { startNats, takeFreePort } from "../src/index.ts";

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

  test("says which port is in use", async () => {
    const port = await takeFreePort();
    const other = createServer().listen(port, "127.0.0.1").unref();
    const attempt = startNats({ binary: currentTestRun().natsServer, storeFolder: testFolder(), port });
    await expect(attempt).rejects.toMatchObject({ fault: "PORT_IN_USE", message: expect.stringContaining(`:${port}`) });
    other.close();
  });

  test("says that the program is missing", async () => {
    const attempt = startNats({ binary: "/nowhere/nats-server", storeFolder: testFolder() });
    await expect(attempt).rejects.toMatchObject({ fault: "SERVER_MISSING" });
  });
});

describe("findNatsServer", () => {
  /** In a process of its own, because a test cannot change the PATH that its own child processes see. */
  async function findWith(path: string): Promise<{ found: string; lines: string[] }> {
    const program = join(import.meta.dirname, "find-and-tell.ts");
    const { stdout } = await promisify(execFile)(process.execPath, [program, testFolder()], { env: { PATH: path } });
    return JSON.parse(stdout) as { found: string; lines: string[] };
  }

  test("takes the one on the PATH", async () => {
    const binary = currentTestRun().natsServer;
    expect(await findWith(`/nowhere:${dirname(binary)}`)).toEqual({ found: binary, lines: [] });
  });

  test("answers undefined and says why where nothing can be fetched", async () => {
    const { found, lines } = await findWith("/nowhere");
    expect(found).toBe("none");
    expect(lines.at(-1)).toContain("no apt-get");
  });
});
