import { parseArgs } from "node:util";

export interface Options {
  /** The parts to measure: the named ones, or all except the parts that are measured only by name. */
  readonly parts: readonly string[];
  readonly help: boolean;
  /** Measures nothing, and writes the page. */
  readonly document: boolean;
  /** The size of CI: it shows that everything works, and its figures mean nothing. */
  readonly small: boolean;
  /** The full size of what takes long to fill: `growth` with a log of 10,000,000 lines. */
  readonly long: boolean;
  /** Measures at any load of the machine. */
  readonly now: boolean;
  /** The seconds, about, for which a contestant is measured in a round. */
  readonly seconds: number;
  readonly rounds: number;
  /** A part of the names of the mechanisms to measure; all if undefined. */
  readonly only: string | undefined;
}

/** @throws Error, whose message is for the user */
export function readOptions(args: readonly string[], usual: readonly string[], named: readonly string[] = []): Options {
  const text = { type: "string" } as const;
  const flag = { type: "boolean" } as const;
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      seconds: text,
      rounds: text,
      only: text,
      small: flag,
      long: flag,
      now: flag,
      document: flag,
      help: flag,
    },
  });
  const known = [...usual, ...named];
  const strange = positionals.filter((part) => !known.includes(part));
  if (strange.length > 0) throw new Error(`no part is named ${strange.join(", ")}; there are ${known.join(", ")}`);
  const small = values.small === true;
  return {
    parts: positionals.length === 0 ? usual : positionals,
    help: values.help === true,
    document: values.document === true,
    small,
    long: values.long === true,
    now: values.now === true || small,
    seconds: positive("seconds", values.seconds ?? (small ? "0.05" : "3")),
    rounds: positive("rounds", values.rounds ?? (small ? "1" : "7")),
    only: values.only,
  };
}

function positive(name: string, value: string): number {
  const number = Number(value);
  if (!(number > 0)) throw new Error(`--${name} takes a positive number, not ${value}`);
  return number;
}
