import { createServer, type Http2Server, type ServerHttp2Session } from "node:http2";
import type { AddressInfo } from "node:net";
import type { ConnectRouter, HandlerContext } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";

export interface FakeService {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a real server of the given RPCs, over h2c on a free port. */
export async function startFakeService(routes: (router: ConnectRouter) => void): Promise<FakeService> {
  const server: Http2Server = createServer(connectNodeAdapter({ routes }));
  const sessions = new Set<ServerHttp2Session>();
  server.on("session", (session) => {
    sessions.add(session);
    session.once("close", () => sessions.delete(session));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        for (const session of sessions) session.destroy();
        server.close(() => resolve());
      }),
  };
}

/** Returns the token of a call, or "". */
export function tokenOf(context: HandlerContext): string {
  return context.requestHeader.get("authorization") ?? "";
}
