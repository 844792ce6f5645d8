// Accepts connections and discards all that it receives: where a flood's client works as hard, and attacks no program.
import { type AddressInfo, createServer } from "node:net";

const server = createServer((socket) => socket.on("error", () => undefined).resume());
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.once("disconnect", () => process.exit(0));
