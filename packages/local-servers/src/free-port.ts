import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { createServer } from "node:net";
import { LocalServerError } from "./server-process.ts";

/** The ports below the ephemeral ones of outgoing connections (from 32768 on Linux, 49152 elsewhere). */
const STABLE = { first: 12_000, last: 31_999 };

const MAX_TRIES = 10_000;

/**
 * Returns a free TCP port of 127.0.0.1 for a server that starts later, or repeatedly. No other call returns it, in any
 * process, while this process lives. A port that the system chooses may be taken meanwhile by an outgoing connection,
 * even by one that the server's own clients try to open to it.
 *
 * @throws LocalServerError PORT_IN_USE if 10,000 tries find none
 */
export async function takeStablePort({ first, last }: { first: number; last: number } = STABLE): Promise<number> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const port = randomInt(first, last + 1);
    if ((await reserve(port)) && (await isFree(port))) return port;
  }
  throw new LocalServerError("PORT_IN_USE", `No port of 127.0.0.1 from ${first} to ${last} is free.`);
}

/**
 * Reserves a port by holding the UDP port of the same number, which no server here uses. The system releases it with
 * the process, however that ends. Without it, two suites that each start 20 servers meet on a port in 2 of 100 cases.
 */
function reserve(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket("udp4");
    socket.once("error", () => resolve(false));
    socket.bind({ port, address: "127.0.0.1", exclusive: true }, () => {
      socket.unref();
      resolve(true);
    });
  });
}

const isFree = (port: number): Promise<boolean> =>
  listenOnce(port).then(
    () => true,
    () => false,
  );

/**
 * Checks that `port` of 127.0.0.1 can be listened on.
 *
 * @throws LocalServerError PORT_IN_USE with the port and `who` needed it
 */
export async function assertPortIsFree(port: number, who: string): Promise<void> {
  try {
    await listenOnce(port);
  } catch (error) {
    throw portInUse(port, who, error);
  }
}

export function portInUse(port: number, who: string, cause?: unknown): LocalServerError {
  const denied = (cause as NodeJS.ErrnoException | undefined)?.code === "EACCES";
  const why = denied ? "this user may not listen on it" : "another program is using it";
  return new LocalServerError(
    "PORT_IN_USE",
    `${who} cannot listen on 127.0.0.1:${port}: ${why}. Stop that program or choose another port.`,
    cause,
  );
}

function listenOnce(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => server.close(() => resolve()));
  });
}
