import net, { type AddressInfo, type Socket } from "node:net";

export interface Target {
  readonly host: string;
  readonly port: number;
}

/**
 * Forwards connections to one server or several until a fault is set. A new connection is sent to the next target in
 * turn, as with the virtual address of a Kubernetes Service.
 */
export interface FaultProxy {
  readonly host: string;
  readonly port: number;
  /** Number of open connections. */
  connections(): number;
  /** Number of connections ever accepted. */
  accepted(): number;
  /** Number of chunks dropped by a black hole. */
  swallowed(): number;
  /** Number of chunks of the server that were delayed. */
  delayed(): number;
  /** Sets the targets of new connections; without any, new connections are dropped. */
  setTargets(targets: readonly Target[]): void;
  /** Delays the server's data by this many milliseconds; 0 ends the delay. */
  delay(ms: number): void;
  /** Drops all data in both directions, on open connections and on new ones. */
  blackHole(): void;
  /** Does the same for one open connection, by its position in the order of opening, from 0. */
  blackHoleOne(index: number): void;
  /** Drops the open connections; new ones are forwarded. */
  cut(): void;
  cutOne(index: number): void;
  /** Drops the open connections, and new ones. */
  refuse(): void;
  /** Ends delay, black hole and refusal. Connections that lost data in a black hole are dropped. */
  heal(): void;
  stop(): Promise<void>;
}

type Mode = "through" | "black-hole" | "refuse";

interface Connection {
  readonly near: Socket;
  readonly far: Socket;
  silent: boolean;
}

export async function startFaultProxy(...first: readonly Target[]): Promise<FaultProxy> {
  let targets = first;
  let mode: Mode = "through";
  let delayMs = 0;
  let turn = 0;
  let accepted = 0;
  let swallowed = 0;
  let delayed = 0;
  const connections = new Set<Connection>();
  const isSilent = (connection: Connection) => connection.silent || mode === "black-hole";

  const server = net.createServer({ noDelay: true }, (near) => {
    accepted++;
    const target = targets[turn++ % Math.max(1, targets.length)];
    if (mode === "refuse" || target === undefined) {
      near.on("error", () => undefined);
      near.resetAndDestroy();
      return;
    }
    const connection: Connection = { near, far: net.connect({ ...target, noDelay: true }), silent: false };
    connections.add(connection);
    hand(connection, near, connection.far, () => 0);
    hand(connection, connection.far, near, () => delayMs);
  });

  function hand(connection: Connection, from: Socket, to: Socket, wait: () => number): void {
    const swallow = () => {
      if (!isSilent(connection)) return false;
      connection.silent = true; // part of the stream is missing from now on
      return true;
    };
    const later = createDelayLine();
    from.on("data", (chunk) => {
      const write = () => {
        if (swallow()) swallowed++;
        else if (!to.destroyed) to.write(chunk);
      };
      const ms = wait();
      if (ms > 0) delayed++;
      later(ms, write);
    });
    const end = () => {
      if (swallow()) return;
      later(wait(), () => to.destroySoon()); // after the delayed data
    };
    from.on("end", end);
    from.on("close", () => {
      end();
      // Until both ends are closed, `stop` has something to drop: the other end may wait for a reader.
      if (connection.near.closed && connection.far.closed) connections.delete(connection);
    });
    from.on("error", () => undefined);
  }

  const drop = (chosen: Iterable<Connection | undefined>) => {
    for (const connection of [...chosen]) {
      if (connection === undefined) continue;
      connections.delete(connection);
      reset(connection.near);
      reset(connection.far);
    }
  };

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    host: "127.0.0.1",
    port: (server.address() as AddressInfo).port,
    connections: () => connections.size,
    accepted: () => accepted,
    swallowed: () => swallowed,
    delayed: () => delayed,
    setTargets: (next) => {
      targets = next;
    },
    delay: (ms) => {
      delayMs = ms;
    },
    blackHole: () => {
      mode = "black-hole";
    },
    blackHoleOne: (index) => {
      const connection = [...connections][index];
      if (connection !== undefined) connection.silent = true;
    },
    cut: () => drop(connections),
    cutOne: (index) => drop([[...connections][index]]),
    refuse: () => {
      mode = "refuse";
      drop(connections);
    },
    heal: () => {
      mode = "through";
      delayMs = 0;
      drop([...connections].filter((connection) => connection.silent));
    },
    stop: async () => {
      drop(connections);
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** Closes a socket by a reset. One that is ending is closed as usual: its reset fails, and leaves the handle open. */
function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}

/**
 * Runs actions after a delay, always in their original order, even if the delay becomes shorter: a stream whose bytes
 * overtake each other is a different stream.
 */
function createDelayLine(): (ms: number, action: () => void) => void {
  const waiting: { due: number; action: () => void }[] = [];
  const arm = (due: number) => setTimeout(run, Math.max(0, due - performance.now())).unref();
  const run = () => {
    while (waiting[0] !== undefined && waiting[0].due <= performance.now()) waiting.shift()?.action();
    if (waiting[0] !== undefined) arm(waiting[0].due);
  };
  return (ms, action) => {
    if (ms === 0 && waiting.length === 0) return action();
    const due = Math.max(performance.now() + ms, waiting.at(-1)?.due ?? 0);
    if (waiting.push({ due, action }) === 1) arm(due);
  };
}
