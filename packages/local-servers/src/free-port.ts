import { randomInt } from "node:crypto";
import { createServer } from "node:net";
import { LocalServerError } from "./local-server-error.ts";

/** Below the ephemeral ports of outgoing connections (from 32768 on Linux, 49152 elsewhere). */
const [FIRST_STABLE, LAST_STABLE] = [12_000, 32_000];

/**
 * Returns a TCP port of 127.0.0.1 that was free a moment ago, for a server that starts later, or repeatedly. A port
 * that the system chooses may be taken meanwhile by an outgoing connection, even by one that the server's own clients
 * try to open to it.
 */
export async function takeStablePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST_STABLE, LAST_STABLE);
    const free = await listenOnce(port).catch(() => undefined);
    if (free !== undefined) return free;
  }
}

/**
 * Checks that `port` of 127.0.0.1 can be listened on. @throws LocalServerError PORT_IN_USE with the port and `who`
 * needed it
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

function listenOnce(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => {
      const address = server.address();
      const taken = typeof address === "object" && address !== null ? address.port : port;
      server.close(() => resolve(taken));
    });
  });
}
