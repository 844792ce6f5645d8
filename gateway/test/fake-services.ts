import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { ConnectRouter, HandlerContext } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";

export interface FakeService {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a real server of the given RPCs, over HTTP/1.1 on a free port. */
export async function startFakeService(routes: (router: ConnectRouter) => void): Promise<FakeService> {
  const server = createServer(connectNodeAdapter({ routes }));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Returns the token of a call, or "". */
export function tokenOf(context: HandlerContext): string {
  return context.requestHeader.get("authorization") ?? "";
}
