import type { Socket } from "node:net";

/** Connections of one address that begin at once, and how many a second begin after them. */
export interface ConnectionRate {
  readonly atOnce: number;
  readonly perSecond: number;
}

/** Of this many addresses, those whose last connection is long ago are forgotten. */
const MANY = 1_024;

/** Returns a function that begins the connections of an address at a rate; those beyond it wait. */
export function paceConnections({ atOnce, perSecond }: ConnectionRate): (socket: Socket, begin: () => void) => void {
  const apartMs = 1_000 / perSecond;
  const burstMs = atOnce * apartMs;
  /** When the last connection of an address was or is due, in milliseconds of `performance.now()`. */
  const lastOf = new Map<string, number>();
  const forgetOld = (until: number) => {
    for (const [address, last] of lastOf) if (last < until) lastOf.delete(address);
  };
  return (socket, begin) => {
    const address = socket.remoteAddress ?? "";
    const now = performance.now();
    if (lastOf.size >= MANY) forgetOld(now - burstMs);
    const due = Math.max(lastOf.get(address) ?? Number.NEGATIVE_INFINITY, now - burstMs) + apartMs;
    lastOf.set(address, due);
    if (due <= now) begin();
    else wait(socket, due - now, begin);
  };
}

function wait(socket: Socket, ms: number, begin: () => void): void {
  const drop = () => void socket.destroy();
  const timer = setTimeout(() => {
    socket.off("error", drop).off("close", forget);
    begin();
  }, ms);
  const forget = () => clearTimeout(timer);
  socket.on("error", drop).once("close", forget);
}
