/** A system that is measured on cores of its own, with the client and all else that it needs. */
export interface Side {
  readonly name: string;
  /** The number of cores that it has, together with the client. */
  readonly cores: number;
  readonly ports: readonly number[];
  readonly requests: readonly string[];
  /** Returns its processes, which change: Postgres has one per connection. */
  pids(): readonly number[];
  /** Returns the processor time so far in milliseconds of each program by name. */
  cpu(): Readonly<Record<string, number>>;
}
