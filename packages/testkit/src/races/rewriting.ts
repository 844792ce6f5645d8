import type { SqlText, Statement, Tx } from "@cloud/postgres";

/**
 * Changes a statement before it is sent: how a control inside a test's process removes a protection. It sees the text on
 * one line, its white space as single blanks, without comments.
 */
export type Rewrite = (text: string) => string;

/** Returns the transaction with its statements changed. */
export function rewriting(tx: Tx, rewrite: Rewrite): Tx {
  const change = <Row>(statement: Statement<Row>): Statement<Row> => {
    const line = statement.text.replaceAll(/(?:\s|--.*)+/g, " ").trim();
    const text = rewrite(line);
    // biome-ignore lint/plugin: a statement of the source, changed by a test.
    return text === line ? statement : { ...statement, text: text as SqlText, name: "" };
  };
  const query: Tx["query"] = (statement, params) => tx.query(change(statement), params);
  return { ...tx, query, read: query };
}
