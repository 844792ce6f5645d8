import { createConnection } from "node:net";

/** Opens and closes a connection to a port of this machine. @throws Error if the port refuses it */
export const assertListens = (port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = createConnection({ port, host: "127.0.0.1" });
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.destroy();
      resolve();
    });
  });
