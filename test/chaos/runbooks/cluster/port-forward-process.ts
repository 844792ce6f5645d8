/** Stands for `kubectl port-forward`: forwards the local port until it is killed. */
import { connect, createServer } from "node:net";

const [address = "", ...args] = process.argv.slice(2);
const response = await fetch(address, { method: "POST", body: args.join("\0") });
const reply = await response.text();
if (!response.ok) throw new Error(reply);

const server = createServer((near) => {
  const far = connect(Number(reply), "127.0.0.1");
  near.pipe(far).pipe(near);
  for (const socket of [near, far]) socket.on("error", () => near.destroy());
});
server.listen(Number(args[2]?.split(":")[0]), "127.0.0.1");
