import net from "node:net";

/**
 * Sends bytes on a new connection and closes its writing half. Returns what arrives until the server closes its own, as
 * latin1. @throws Error if it does not within `deadlineMs`
 */
export function sendRaw(url: string, bytes: Buffer | string, deadlineMs = 20_000): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = net.connect({ host: hostname, port: Number(port), allowHalfOpen: false });
    const limit = setTimeout(() => socket.destroy(new Error("still open after " + deadlineMs + " ms")), deadlineMs);
    const finish = () => resolve(Buffer.concat(chunks).toString("latin1"));
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    socket.on("error", (error: NodeJS.ErrnoException) => {
      // A server that refuses may close before it has read everything.
      if (error.code === "ECONNRESET" || error.code === "EPIPE") finish();
      else reject(error);
    });
    socket.on("close", () => {
      clearTimeout(limit);
      finish();
    });
    socket.end(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes);
  });
}
