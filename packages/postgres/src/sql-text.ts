declare const made: unique symbol;

/**
 * The text of a statement, or of a part of one: only constants of the source. Only such text can be sent, so input
 * reaches Postgres as parameters only.
 */
export type SqlText = string & { readonly [made]: "sql" };

/**
 * Marks a template as SQL. Its holes accept SQL only: a column list, the name of a table, a condition. Values are
 * parameters ($1…). The text is used verbatim, backslashes included, so that it can be pasted into psql.
 */
export function sql(text: TemplateStringsArray, ...parts: readonly SqlText[]): SqlText {
  // biome-ignore lint/plugin: this is the place where SQL is made.
  return String.raw(text, ...parts) as SqlText;
}

/** Returns `$n`, for statements whose parameters are numbered at run time. */
export function parameter(n: number): SqlText {
  // biome-ignore lint/plugin: a number is no text.
  return `$${n}` as SqlText;
}

/** Returns the name of a schema or a channel as SQL. Throws TypeError on a name that would need quotes. */
export function nameInSql(name: string): SqlText {
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(name)) {
    throw new TypeError(`a schema's name has only a-z, 0-9 and _: ${JSON.stringify(name)}`);
  }
  // biome-ignore lint/plugin: the test above leaves nothing that could end a name.
  return name as SqlText;
}
