/** A hostile client, played by `attacker.ts` in a process of its own. */
export interface Flood {
  /** The program whose public port is attacked; `operator` is the gateway's port for operators. */
  readonly target: "gateway" | "workspace" | "operator";
  /** Each is opened again 10 ms after the server has closed it, as an attacker would. */
  readonly connections: number;
  readonly everyMs: number;
  /** Why others may wait longer, if they may. */
  readonly delays?: string;
  /** False for a client that reads nothing of what it receives. */
  readonly reads?: false;
  /**
   * Yields what a new connection sends: the first part when it opens, another every `everyMs` while the server reads.
   * A connection that has no more to send stays open.
   */
  send(connection: number): Iterator<Buffer>;
}
