/** A pooler in transaction mode between a program and Postgres: each transaction may get another session. */
export interface Pooler {
  /** The URL of Postgres itself, for what needs one session: LISTEN, session locks, migrations. */
  readonly directUrl: string;
  /** Whether it keeps the named statements of its clients: PgBouncer 1.21 and later, with `max_prepared_statements`. */
  readonly keepsStatements: boolean;
}
