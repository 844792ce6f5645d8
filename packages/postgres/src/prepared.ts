import type pg from "pg";
import { type Statement, sendTogether } from "./round-trip.ts";
import type { SqlText } from "./sql-text.ts";
import type { StatementResult } from "./statement-result.ts";

const names = new Map<SqlText, string>();
const plannedEachTime = new Set<SqlText>();

/**
 * Marks a statement to be planned each time it is sent, because its best plan depends on its parameters: a page of a
 * small organization and of a large one, a search for a common word and for a rare one.
 */
export function planEachTime(text: SqlText): SqlText {
  plannedEachTime.add(text);
  return text;
}

/**
 * Sends a statement, which is prepared once per connection. Planning is most of what a statement by key costs: of the
 * 0.9 ms that Postgres took to identify a caller, 0.7; of the 5.1 ms for a deletion and its effects, 1.4. The number of
 * texts is bounded by the code: values are always parameters.
 */
export function send<Row extends pg.QueryResultRow>(
  client: pg.ClientBase,
  text: SqlText,
  params: readonly unknown[] = [],
): Promise<StatementResult<Row>> {
  return new Promise((resolve, reject) => {
    const statement = { name: preparedName(text), text, params, resolve: resolve as Statement["resolve"], reject };
    void sendTogether(client, [statement]);
  });
}

/** Returns the name under which a statement is prepared, or an empty string if it is planned each time. */
export function preparedName(text: SqlText): string {
  if (plannedEachTime.has(text)) return "";
  const known = names.get(text);
  if (known !== undefined) return known;
  const name = `prepared_${names.size}`;
  names.set(text, name);
  return name;
}
