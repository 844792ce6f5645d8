import net, { type AddressInfo, type Socket } from "node:net";

export interface SeverableLink {
  readonly port: number;
  /** Drops every connection and refuses new ones. */
  sever(): void;
  mend(): void;
  stop(): Promise<void>;
}

/** A TCP relay to a server that all tests share, so that one test can lose it alone. */
export async function startSeverableLink(target: { host: string; port: number }): Promise<SeverableLink> {
  let severed = false;
  const sockets = new Set<Socket>();
  const server = net.createServer((near) => {
    if (severed) {
      near.destroy();
      return;
    }
    const far = net.connect(target);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const drop = () => sockets.forEach((socket) => void socket.destroy());
  return {
    port: (server.address() as AddressInfo).port,
    sever: () => {
      severed = true;
      drop();
    },
    mend: () => {
      severed = false;
    },
    stop: async () => {
      drop();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
