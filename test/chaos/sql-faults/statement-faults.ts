import type pg from "pg";

/** Part of every injected error's text: a response that contains it has leaked. */
export const MARK = "injected-fault: select secret from tokens; ECONNRESET";

/** Sends the statement, or another one instead. */
type Send = (instead?: string) => Promise<pg.QueryResult>;

export type FaultKind = "cut before" | "shut down" | "answer lost" | "conflict" | "timed out" | "out of memory";

/** Faults of a statement. The connection or the transaction ends in the same state as after a real one. */
export const faults: Readonly<Record<FaultKind, (client: pg.Client, send: Send) => Promise<pg.QueryResult>>> = {
  "cut before": async (client, send) => {
    cut(client, "ECONNRESET");
    return await send();
  },
  "shut down": async (client) => {
    cut(client, "57P01");
    throw failed("57P01");
  },
  "answer lost": async (client, send) => {
    await send();
    cut(client, "ECONNRESET");
    throw failed("ECONNRESET");
  },
  // Raised by the server, so that it ends the statement's transaction.
  conflict: (_client, send) => send(raise("40001")),
  "timed out": (_client, send) => send(raise("57014")),
  "out of memory": (_client, send) => send(raise("53200")),
};

interface SentStatement {
  readonly statement: { readonly name: string; readonly text: string };
  readonly params: readonly unknown[];
}

/** A round trip of several statements (packages/postgres/src/round-trip.ts). */
export interface RoundTrip extends pg.Submittable {
  statements: readonly SentStatement[];
  callback: (error?: unknown) => void;
  handleDataRow(message: object): void;
  handleReadyForQuery(): void;
  handleCommandComplete(message: object): void;
}

/** Faults of one statement of a round trip, by its index. */
export const roundTripFaults: Readonly<
  Record<FaultKind, (client: pg.Client, trip: RoundTrip, at: number, send: () => void) => void>
> = {
  "cut before": (client, _trip, _at, send) => {
    cut(client, "ECONNRESET");
    send();
  },
  "shut down": (client, trip) => {
    cut(client, "57P01");
    trip.callback(failed("57P01"));
  },
  "answer lost": (client, trip, at, send) => {
    let complete = 0;
    const handle = trip.handleCommandComplete.bind(trip);
    const lose = () => {
      cut(client, "ECONNRESET");
      // The rest of the packet with the lost answer is lost, too: its rows would count as rows of that statement.
      trip.handleDataRow = () => undefined;
      trip.handleReadyForQuery = () => trip.callback(failed("ECONNRESET"));
    };
    trip.handleCommandComplete = (message) => {
      if (complete++ < at) handle(message);
      else lose();
    };
    send();
  },
  conflict: (_client, trip, at, send) => raiseAt(trip, at, "40001", send),
  "timed out": (_client, trip, at, send) => raiseAt(trip, at, "57014", send),
  "out of memory": (_client, trip, at, send) => raiseAt(trip, at, "53200", send),
};

function raiseAt(trip: RoundTrip, at: number, code: string, send: () => void): void {
  const failing = (bound: SentStatement) => ({
    statement: { ...bound.statement, name: "", text: raise(code) },
    params: [],
  });
  trip.statements = trip.statements.map((bound, index) => (index === at ? failing(bound) : bound));
  send();
}

function cut(client: pg.Client, code: string): void {
  (
    client as unknown as { connection: { stream: NodeJS.WritableStream & { destroy(error: Error): void } } }
  ).connection.stream.destroy(failed(code));
}

const failed = (code: string) => Object.assign(new Error(MARK), { code });

const raise = (code: string) => "do $do$ begin raise exception '" + MARK + "' using errcode = '" + code + "'; end $do$";
