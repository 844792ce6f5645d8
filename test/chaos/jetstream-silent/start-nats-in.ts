import { join } from "node:path";
import { createNatsUsers, startServerProcess } from "@cloud/local-servers";
import { currentTestRun, startTestNats, takeStablePort, testFolder } from "@cloud/testkit";
import type { RestartableNats } from "@cloud/testkit/faults";

/** A nats-server that can be restarted, also without JetStream. */
export interface SilenceableNats extends RestartableNats {
  /** Starts a nats-server without JetStream on the port of the killed one. */
  startWithoutJetStream(): Promise<void>;
}

/** Starts nats-server with its store in `storeFolder`, which the caller deletes. */
export async function startNatsIn(storeFolder: string): Promise<SilenceableNats> {
  const port = await takeStablePort();
  const users = createNatsUsers();
  const urlOf = (user: string) => users.loginTo(`nats://127.0.0.1:${port}`, user);
  let running: { stop(): Promise<void> } = { stop: async () => undefined };
  let configurationFile = "";
  const start = async () => {
    const nats = await startTestNats({ storeFolder, port, users });
    ({ configurationFile } = nats);
    running = nats;
  };
  await start();
  const refuse = () => {
    throw new TypeError("this nats-server is killed and started, and nothing else");
  };
  return {
    url: urlOf("operator"),
    urlOf,
    port,
    configurationFile,
    start,
    startWithoutJetStream: async () => {
      const server = await startServerProcess({
        command: currentTestRun().natsServer,
        args: ["--addr", "127.0.0.1", "--port", String(port), "--config", configurationFile],
        logFile: join(testFolder(), "nats.log"),
        lastSignal: "SIGTERM",
      });
      running = { stop: () => server.stop("SIGTERM", 5_000) };
    },
    kill: () => running.stop(),
    stop: () => running.stop(),
    wipe: refuse,
    backUpStore: refuse,
    backUpMessages: refuse,
    pause: refuse,
    resume: refuse,
  };
}
