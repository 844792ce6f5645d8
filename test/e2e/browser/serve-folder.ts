import { createReadStream, existsSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";

/** A site of static files, for the pages of other origins. */
export interface Site {
  /** The same site under two names, which are two origins for a browser. */
  readonly origins: readonly [string, string];
  stop(): Promise<void>;
}

/** Serves the scripts of a folder, and an empty page at every other path. */
export async function serveFolder(folder: string): Promise<Site> {
  const server = createServer((request, response) => {
    const file = join(folder, basename(request.url ?? ""));
    if (!file.endsWith(".js") || !existsSync(file)) {
      response.writeHead(200, { "Content-Type": "text/html" }).end("<!doctype html><title>A page</title>");
      return;
    }
    response.writeHead(200, { "Content-Type": "text/javascript" });
    createReadStream(file).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origins: [`http://127.0.0.1:${port}`, `http://localhost:${port}`],
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
