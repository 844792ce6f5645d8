import http from "node:http";
import http2, { type ServerHttp2Session } from "node:http2";
import { listen } from "@cloud/runtime";
import type { ConnectRouter } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";

/** Starts the library's server of RPCs as it is, for controls: h2c only, without a token, at most 2 MiB per message. */
export async function startPlainServer(routes: (router: ConnectRouter) => void) {
  const server = http2.createServer(connectNodeAdapter({ routes, readMaxBytes: 2 * 1024 * 1024 }));
  const sessions = new Set<ServerHttp2Session>();
  server.on("session", (session) => void sessions.add(session));
  const { url, close } = await listen(server, "127.0.0.1", 0);
  const stop = async () => {
    const closed = close();
    for (const session of sessions) session.destroy();
    await closed;
  };
  return { url, stop };
}

/** The same over HTTP/1.1, which the clients of this package speak. */
export async function startPlainHttp1Server(routes: (router: ConnectRouter) => void) {
  const server = http.createServer(connectNodeAdapter({ routes }));
  const { url, close } = await listen(server, "127.0.0.1", 0);
  const stop = async () => {
    const closed = close();
    server.closeAllConnections();
    await closed;
  };
  return { url, stop };
}
