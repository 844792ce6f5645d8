import net from "node:net";

/** Starts a proxy for a Postgres that cuts a connection right after it forwarded `word`. */
export async function startCuttingProxy(target: string, word: string): Promise<{ url: string; stop(): Promise<void> }> {
  const { hostname, port } = new URL(target);
  const server = net.createServer((client) => {
    const upstream = net.connect(Number(port), hostname);
    let cut = false;
    client.on("data", (chunk) => {
      upstream.write(chunk);
      if (!chunk.includes(word)) return;
      cut = true;
      client.destroy();
    });
    upstream.on("data", (chunk) => {
      if (cut) upstream.end();
      else client.write(chunk);
    });
    for (const socket of [client, upstream]) socket.on("error", () => undefined);
    client.on("close", () => cut || upstream.end());
    upstream.on("close", () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = new URL(target);
  url.port = String((server.address() as net.AddressInfo).port);
  url.hostname = "127.0.0.1";
  return { url: url.href, stop: () => new Promise((resolve) => server.close(() => resolve())) };
}
