import { assertPortIsFree } from "@cloud/local-servers";

/** Below the ports that systems lend to outgoing connections (from 32768 on Linux, 49152 elsewhere). */
const [FIRST, LAST] = [12_000, 32_000];

/**
 * A port on which a server can be started again and again. One that the system chose (`takeFreePort`) may be lent to an
 * outgoing connection while its server is down.
 */
export async function takeStablePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST));
    const free = await assertPortIsFree(port, "a test").then(
      () => true,
      () => false,
    );
    if (free) return port;
  }
}
