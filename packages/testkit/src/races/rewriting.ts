/** Changes a statement before it is sent: how a control inside a test's process takes a protection away. */
export type Rewrite = (text: string) => string;

interface Statements {
  query(text: string, params?: readonly unknown[]): Promise<unknown>;
}

/** A transaction of `@cloud/postgres`, or anything else that answers SQL, with its statements changed. */
export function rewriting<Tx extends Statements>(tx: Tx, rewrite: Rewrite): Tx {
  return { ...tx, query: (text: string, params?: readonly unknown[]) => tx.query(rewrite(text), params) };
}
