import type { Statement, Tx } from "@cloud/postgres";

/** Others have changed what a transaction was to lock. */
export class Changed extends Error {
  constructor() {
    super("others have changed the rows meanwhile");
    this.name = "Changed";
  }
}

/** Locks rows until `tx` ends; $1 is the parameter of the statement. @throws Changed if they are not `count` */
export async function lockAll(tx: Tx, lock: Statement, parameter: unknown, count: number): Promise<void> {
  if ((await tx.query(lock, [parameter])).rowCount !== count) throw new Changed();
}
