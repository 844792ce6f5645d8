import net, { type Socket } from "node:net";

/** Below it a connection over any network is made; where it is not, the packets go nowhere. */
const LIMIT_MS = 2_000;

/**
 * Connects to a peer that is near, or fails. Left to itself the system would try for two minutes, at ever longer
 * intervals, and every call would wait with it; also those after the peer is back.
 */
export function connectInTime({ hostname, port }: URL): Socket {
  const host = hostname.replace(/^\[|\]$/g, ""); // an IPv6 address stands in brackets in a URL
  const socket = net.connect({ host, port: port === "" ? 80 : Number(port), noDelay: true });
  const giveUp = () => void socket.destroy(Object.assign(new Error("not connected in time"), { code: "ETIMEDOUT" }));
  const timer = setTimeout(giveUp, LIMIT_MS);
  const done = () => clearTimeout(timer);
  return socket.once("connect", done).once("close", done);
}
