import type { Client } from "./start-client.ts";

/** Programs that serve the same requests as others. */
export interface Contestant {
  readonly name: string;
  readonly port: number;
  /** Returns the processor time so far in milliseconds of each program by name. */
  cpu(): Promise<Record<string, number>> | Record<string, number>;
  /** Resolves when work that requests leave behind, such as publishing events, is done. */
  settled?(): Promise<void>;
  /** Programs that are not counted in the sum, such as the database. */
  readonly apart?: readonly string[];
  /** Calls it, where that is a program of the contestant, too; the client of all if absent. */
  readonly client?: Client;
}

/** A kind of request that all contestants serve. */
export interface Contest {
  readonly what: string;
  readonly status: number;
  readonly requests: readonly string[];
  /** The most requests of a round, where each has an effect of its own. */
  readonly max?: number;
  /** Creates or deletes what the requests need to be absent or present; not measured. */
  before?(contestant: Contestant): Promise<void>;
}
