import { createServer } from "node:net";
import { LocalServerError } from "./local-server-error.ts";

/** A TCP port of 127.0.0.1 that nobody listened on a moment ago; another process may still take it first. */
export function takeFreePort(): Promise<number> {
  return listenOnce(0);
}

/**
 * Fails when `port` of 127.0.0.1 cannot be listened on, naming the port and `who` wanted it.
 * @throws LocalServerError PORT_IN_USE
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
