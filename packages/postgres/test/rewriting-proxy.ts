import net from "node:net";

export interface RewritingProxy {
  readonly url: string;
  /** The round trips of all clients so far: how often one ended what it sent, with Sync or a simple query. */
  roundTrips(): number;
  stop(): Promise<void>;
}

/** Starts a proxy for a Postgres that counts round trips and replaces a word by another of the same length. */
export async function startRewritingProxy(target: string, word = "", by = ""): Promise<RewritingProxy> {
  const { hostname, port } = new URL(target);
  let roundTrips = 0;
  const server = net.createServer((client) => {
    const upstream = net.connect(Number(port), hostname);
    let isStarted = false;
    let rest: Buffer = Buffer.alloc(0);
    client.on("data", (chunk: Buffer) => {
      upstream.write(word === "" ? chunk : Buffer.from(chunk.toString("latin1").replaceAll(word, by), "latin1"));
      rest = Buffer.concat([rest, chunk]);
      for (;;) {
        const tag = isStarted ? 1 : 0; // the first message has no type
        if (rest.length < tag + 4 || rest.length < tag + rest.readInt32BE(tag)) return;
        if (isStarted && "SQ".includes(String.fromCharCode(rest[0] ?? 0))) roundTrips++;
        isStarted = true;
        rest = rest.subarray(tag + rest.readInt32BE(tag));
      }
    });
    upstream.on("data", (chunk) => client.write(chunk));
    for (const socket of [client, upstream]) socket.on("error", () => undefined);
    client.on("close", () => upstream.end());
    upstream.on("close", () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = new URL(target);
  url.port = String((server.address() as net.AddressInfo).port);
  url.hostname = "127.0.0.1";
  const stop = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return { url: url.href, roundTrips: () => roundTrips, stop };
}
