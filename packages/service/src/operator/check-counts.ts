import { type Database, statement } from "@cloud/postgres";

export interface CheckCounts {
  /** Without a time limit for statements: each list is read completely. */
  readonly db: Pick<Database, "transaction">;
  /** Corrects what is wrong. */
  readonly repair: boolean;
  readonly print: (line: string) => void;
}

interface WrongCount {
  readonly list: string;
  readonly scope: string;
  readonly counted: string;
  readonly rows: string;
}

const wrongCounts = statement<WrongCount>`
  select list, scope, counted, rows
  from wrong_counts($1)`;

/**
 * Compares the counts of the lists with their rows (docs/adr/0020-counts-and-search-keys.md), while the service goes on.
 * Returns the exit code: 1 if counts are wrong and stay so.
 */
export async function checkCounts({ db, repair, print }: CheckCounts): Promise<number> {
  const { rows: wrong } = await db.transaction((tx) => tx.query(wrongCounts, [repair]));
  for (const { list, scope, counted, rows } of wrong)
    print(`${list} of ${scope}: counted ${counted}, there are ${rows}`);
  if (wrong.length === 0) print("all counts are right");
  else if (repair) print(`${wrong.length} corrected`);
  else print(`${wrong.length} are wrong: check-counts --repair`);
  return wrong.length === 0 || repair ? 0 : 1;
}
