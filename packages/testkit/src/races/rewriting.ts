/**
 * Changes a statement before it is sent: how a control inside a test's process removes a protection. It sees the text on
 * one line, its white space as single blanks.
 */
export type Rewrite = (text: string) => string;

interface Statements {
  query(text: string, params?: readonly unknown[]): Promise<unknown>;
}

/** Wraps a transaction of `@cloud/postgres`, or anything else that runs SQL, and changes its statements. */
export function rewriting<Tx extends Statements>(tx: Tx, rewrite: Rewrite): Tx {
  const change = (text: string) => {
    const line = text.replaceAll(/\s+/g, " ").trim();
    const changed = rewrite(line);
    return changed === line ? text : changed; // as it was, a prepared statement keeps its name
  };
  return { ...tx, query: (text: string, params?: readonly unknown[]) => tx.query(change(text), params) };
}
