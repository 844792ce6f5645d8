import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * Returns the listener of a server's requests, which bounds what is read ahead of the responses. A request begins at
 * once if its connection has no other. Pipelined requests begin in turn, up to 8 of a connection; while one waits,
 * nothing more is parsed or read.
 *
 * Node parses and serves everything at once that it has read: 1 MB of small requests stopped a gateway for a minute and
 * took 1.6 GB of memory; 64 KB of each of 400 connections, parsed but not served, 15 s and 1.9 GB.
 *
 * After a request that is answered at once, such as one that is refused, what connections send is parsed in turns of the
 * event loop, so that what the services have sent is read in between. While 1,000 callers repeated what the gateway
 * refused, a reply that a service had sent after 23 ms waited there for 210 ms, and half to two thirds of what could be
 * served was.
 */
export function scheduleFairly(server: Server, serve: RequestListener): RequestListener {
  const lanes = new WeakMap<Socket, Lane>();
  /** The number of lanes with requests that wait. */
  let ahead = 0;
  /** The lanes that may begin one of their requests, the longest in wait first; a lane is in it once for each turn. */
  const due: Lane[] = [];
  let isPlanned = false;
  /** The lanes whose bytes are parsed in a later turn, the longest in wait first. */
  const unread: Lane[] = [];
  /** Whether a request was answered at once since the last turn after which `unread` was empty. */
  let answersAtOnce = false;

  const parse = (lane: Lane) => {
    const { socket } = lane;
    while (lane.unparsed.length > 0 && lane.waiting.length === 0 && !isPaused(socket) && !socket.destroyed) {
      const max = lane.unparsed.subarray(0, SLICE.max);
      const end = max.indexOf(END_OF_HEAD, SLICE.min - END_OF_HEAD.length, "latin1");
      const slice = end < 0 ? max : max.subarray(0, end + END_OF_HEAD.length);
      lane.unparsed = lane.unparsed.subarray(slice.length);
      lane.parse(slice);
    }
    if (lane.unparsed.length > 0) socket.pause();
  };

  const parseInTurn = (lane: Lane) => {
    if (lane.turn === "none") {
      lane.turn = "due";
      if (unread.push(lane) === 1) setImmediate(parseUnread);
    } else {
      lane.turn = "paused"; // so that no more is read ahead
      lane.socket.pause();
    }
  };

  const parseUnread = () => {
    const lanes = unread.splice(0, PARSED_PER_TURN);
    answersAtOnce = unread.length > 0;
    if (answersAtOnce) setImmediate(parseUnread);
    for (const lane of lanes) {
      const isResumed = lane.turn === "paused" && lane.waiting.length === 0;
      lane.turn = "none";
      if (isResumed) lane.socket.resume();
      parse(lane);
    }
  };

  server.on("connection", (socket: Socket) => {
    const [listener] = socket.listeners("data");
    if (listener === undefined) throw new TypeError("Node's server does not listen for data any more");
    socket.removeListener("data", listener as () => void);
    const lane: Lane = {
      socket,
      parse: (bytes) => void listener.call(socket, bytes),
      unparsed: Buffer.alloc(0),
      serving: 0,
      waiting: [],
      scheduled: 0,
      turn: "none",
    };
    lanes.set(socket, lane);
    socket.on("data", (chunk: Buffer<ArrayBuffer>) => {
      lane.unparsed = lane.unparsed.length === 0 ? chunk : Buffer.concat([lane.unparsed, chunk]);
      if (answersAtOnce) parseInTurn(lane);
      else parse(lane);
    });
    // Before Node ends the parser: a client may send a request and the end of its connection at once.
    socket.prependListener("end", () => parse(lane));
    // Node resumes the socket whenever a request is read to its end. The requests being served are complete, because a
    // later one has been parsed.
    socket.on("resume", () => {
      if (lane.waiting.length > 0) socket.pause();
      else parse(lane);
    });
    socket.once("close", () => {
      if (lane.waiting.length > 0) ahead--;
      lane.waiting.length = 0;
      lane.unparsed = lane.unparsed.subarray(0, 0);
    });
  });

  const start = (lane: Lane, [request, response]: Request) => {
    lane.serving++;
    response.once("close", () => {
      lane.serving--;
      queue(lane);
    });
    serve(request, response);
    answersAtOnce ||= response.writableEnded;
  };

  const queue = (lane: Lane) => {
    while (lane.scheduled < lane.waiting.length && lane.serving + lane.scheduled < CONCURRENCY) {
      lane.scheduled++;
      due.push(lane);
      scheduleBatch();
    }
  };

  const scheduleBatch = () => {
    if (isPlanned) return;
    isPlanned = true;
    setTimeout(beginBatch, PAUSE_MS);
  };

  const beginBatch = () => {
    for (let begun = 0; begun < CONCURRENCY; begun++) {
      const lane = due.shift();
      if (lane === undefined) break;
      lane.scheduled--;
      advance(lane);
    }
    isPlanned = false;
    if (due.length > 0) scheduleBatch();
  };

  const advance = (lane: Lane) => {
    const next = lane.socket.destroyed ? undefined : lane.waiting.shift();
    if (next === undefined) return;
    if (lane.waiting.length === 0) ahead--;
    start(lane, next);
    if (lane.waiting.length > 0) return;
    lane.socket.resume();
    parse(lane);
  };

  return (request, response) => {
    const { socket } = request;
    const lane = lanes.get(socket);
    if (lane === undefined || socket.destroyed) return;
    if (lane.serving === 0 && lane.waiting.length === 0) {
      start(lane, [request, response]);
      return;
    }
    if (lane.waiting.length === 0) {
      if (ahead === MAX_AHEAD) {
        socket.destroy();
        return;
      }
      ahead++;
    }
    lane.waiting.push([request, response]);
    queue(lane);
    socket.pause();
  };
}

/**
 * The most requests of one HTTP/1.1 connection that are served concurrently; a client that does not pipeline sends one.
 */
const CONCURRENCY = 8;
/**
 * Milliseconds between two turns of pipelined requests, which were sent before the one before them had its response. In
 * each turn as many as CONCURRENCY begin, of all connections together: 2,000 a second, a sixth of a core. Connections
 * that pipelined as many small requests as the gateway could serve took the 99th percentile of all other callers from
 * 12 to 26 ms; 128 connections that each had 8 served at once, to 130 ms.
 */
const PAUSE_MS = 4;
/**
 * Bytes that are parsed at once: up to the end of a head, so that the next request is parsed only if it need not wait.
 * Node itself parses all that it has read, 64 KiB, and each of the 2,500 smallest requests in it holds about 5 KB until
 * it is served. Fewer than 128 would make a body of empty lines expensive, which is read in as many parts.
 */
const SLICE = { min: 128, max: 2_048 };
const END_OF_HEAD = "\r\n\r\n";
/**
 * Connections whose bytes are parsed in a turn of the event loop. The fewer, the sooner others are served, and the longer
 * callers wait for a refusal.
 */
const PARSED_PER_TURN = 256;
/** The most connections of the process with requests that wait. A further one that pipelines is closed. */
const MAX_AHEAD = 512;

type Request = readonly [request: IncomingMessage, response: ServerResponse];

/** The state of one connection. */
interface Lane {
  readonly socket: Socket;
  /** Passes bytes to Node's parser. */
  readonly parse: (bytes: Buffer<ArrayBuffer>) => void;
  /** Bytes that are received and not parsed yet; Node reads at most 64 KiB at once. */
  unparsed: Buffer<ArrayBuffer>;
  serving: number;
  readonly waiting: Request[];
  /** The number of waiting requests that have a turn. */
  scheduled: number;
  /** Whether what was received is parsed in a later turn, and whether nothing more is read until then. */
  turn: "none" | "due" | "paused";
}

/**
 * Returns whether a socket is paused. Node's server also marks one whose client does not read, and whose parser it has
 * paused.
 */
function isPaused(socket: Socket & { readonly _paused?: boolean }): boolean {
  return socket.isPaused() || socket._paused === true;
}

export interface UnsentLimits {
  /** Milliseconds for which a response may wait to be sent. */
  readonly ms: number;
  /** Bytes of all responses of the server that wait to be sent, together. */
  readonly bytes: number;
}

interface LimitedResponses {
  readonly listener: RequestListener;
  stop(): void;
}

/**
 * Closes the connection of a client that does not read its response in time, and the connections that have been reading
 * longest when all together make the server hold too much. Node has neither limit: a client that requested a page of 6
 * MB 320 times on 40 connections, and read none, made the gateway hold 1 GB indefinitely.
 */
export function limitUnsent(listener: RequestListener, limits: UnsentLimits = DEFAULT): LimitedResponses {
  const open = new Set<ServerResponse>();
  /** The responses that wait, by the time at which they were first seen to, the oldest first. */
  const unsent = new Map<ServerResponse, number>();
  const sweep = () => {
    const now = performance.now();
    for (const response of open) {
      if (response.writableLength === 0) unsent.delete(response);
      else if (!unsent.has(response)) unsent.set(response, now);
    }
    closeSlowest(unsent, now - limits.ms, limits.bytes);
  };
  const timer = setInterval(sweep, SWEEP_MS).unref();
  return {
    listener: (request, response) => {
      open.add(response);
      response.once("close", () => {
        open.delete(response);
        unsent.delete(response);
      });
      listener(request, response);
    },
    stop: () => clearInterval(timer),
  };
}

/** Half a minute, as for sending a request; eight of the largest responses. */
const DEFAULT: UnsentLimits = { ms: 30_000, bytes: 128 * 2 ** 20 };

/** Milliseconds between two looks at the responses. */
const SWEEP_MS = 100;

/** Closes connections that have waited since before `limit`, and then as many as leave the others `bytes` at most. */
function closeSlowest(unsent: ReadonlyMap<ServerResponse, number>, limit: number, bytes: number): void {
  const connections = new Map<Socket, { readonly since: number; held: number }>();
  let held = 0;
  for (const [{ req, writableLength }, since] of unsent) {
    const connection = connections.get(req.socket) ?? { since, held: 0 };
    connection.held += writableLength;
    held += writableLength;
    connections.set(req.socket, connection);
  }
  for (const [socket, { since, held: own }] of connections) {
    if (held <= bytes && since >= limit) return;
    held -= own;
    socket.destroy();
  }
}
