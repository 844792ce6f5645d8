import { programs, settingsOf } from "../../deploy/test/programs.ts";
import { list, readText } from "./documents.ts";

/** A row of a table of limits. */
export interface LimitRow {
  readonly limit: string;
  /** The row's figures, each with its unit, such as `16 KiB`. */
  readonly figures: readonly string[];
  /** The files that the row names, or the files of the row above where it says `the same`. */
  readonly files: readonly string[];
  readonly settings: readonly string[];
}

/** By unit, the factors by which code may write a figure: sizes as bytes or as they are, times also in milliseconds. */
const FACTORS: Readonly<Record<string, readonly number[]>> = {
  KiB: [2 ** 10],
  MiB: [2 ** 20],
  MB: [1, 1e6, 2 ** 20],
  s: [1, 1e3],
  "a second": [1, 1e3],
  "a minute": [60, 6e4],
  min: [60, 6e4],
  hours: [1, 3_600, 3.6e6],
};
/** A number that is no part of a name, such as `HTTP/2` or `W3C`, with its unit. */
const FIGURE = /(?<![\w./])\d[\d,]*(?:\.\d+)?(?: (?:KiB|MiB|MB\/s|MB|s|min|hours|%|a second|a minute)(?!\w))?/g;
/** A number of a source, or a product of some. */
const CONSTANT = /(?<![\w.])\d[\d_]*(?:\.\d+)?(?:e\d+)?(?: \*\*? \d[\d_]*)*/g;
const COMMENT = /\/\*[\s\S]*?\*\/|\/\/.*$/gm;

const sources = list(["{packages,services}/*/src/**/*.ts", "gateway/src/**/*.ts"]);

/** Returns the rows of the tables of a page whose columns are a limit, its value and where it is. */
export function limitRows(page: string): LimitRow[] {
  const rows: LimitRow[] = [];
  for (const [line] of page.matchAll(/^\| .*$/gm)) {
    const [limit = "", value = "", place = ""] = line.slice(2, -2).split(" | ");
    const named = [...place.matchAll(/`([\w./-]+\.ts)`/g)].map(([, file = ""]) => file);
    const files = (/\bthe same\b/.test(place) ? (rows.at(-1)?.files ?? []) : []).concat(named);
    const settings = place.match(/(?<=`)[A-Z_]{4,}(?=`)/g) ?? [];
    const figures = value.replace(/\([^)]*\)/g, "").match(FIGURE) ?? [];
    rows.push({ limit, figures, files, settings });
  }
  return rows.slice(2);
}

/**
 * Returns the figures of a row that are neither a constant nor in a comment of its files, nor the default of its
 * setting.
 */
export function unfoundFigures({ figures, files, settings }: LimitRow): string[] {
  const texts = files.map((file) => readText(sources.find((path) => `/${path}`.endsWith(`/${file}`)) ?? file));
  const constants = new Set(texts.flatMap(constantsOf).concat(settings.flatMap(defaultsOf)));
  const comments = texts.flatMap((text) => text.match(COMMENT) ?? []).join("\n");
  const figuresOfComments = new Set<string>(comments.match(FIGURE));
  return figures.filter((figure) => {
    return !figuresOfComments.has(figure) && !valuesOf(figure).some((value) => constants.has(value));
  });
}

/** Returns the defaults of the settings of a row that its figures lack. */
export function missingDefaults({ figures, settings }: LimitRow): string[] {
  const values = new Set(figures.flatMap(valuesOf));
  return settings
    .flatMap((name) => defaultsOf(name).map((value) => ({ name, value })))
    .flatMap(({ name, value }) => {
      return value === 0 || values.has(value) ? [] : [`${name}=${value}`];
    });
}

/** Returns the settings of a text with a value in parentheses that is no default, such as `HEAVY_READS` (2). */
export function wrongDefaults(text: string): string[] {
  return [...text.matchAll(/`([A-Z][A-Z_]{3,})` \((\d+)/g)].flatMap(([, name = "", value = ""]) => {
    const defaults = defaultsOf(name);
    return defaults.length === 0 || defaults.includes(Number(value)) ? [] : [`${name}: ${value}`];
  });
}

function valuesOf(figure: string): number[] {
  const [, number = "", unit = ""] = /^([\d,.]+) ?(.*)$/.exec(figure) ?? [];
  return (FACTORS[unit] ?? [1]).map((factor) => Math.round(Number(number.replaceAll(",", "")) * factor * 1e6) / 1e6);
}

function constantsOf(source: string): number[] {
  const code = source.replace(COMMENT, "").replace(/\bMIB\b/g, "1048576");
  return (code.match(CONSTANT) ?? []).map((product) =>
    product
      .replaceAll("_", "")
      .split(" * ")
      .map((factor) =>
        factor
          .split(" ** ")
          .map(Number)
          .reduceRight((power, base) => base ** power),
      )
      .reduce((left, right) => left * right),
  );
}

/** Returns the numbers that programs use where a variable is not set. */
function defaultsOf(name: string): number[] {
  return programs.flatMap((program) =>
    settingsOf(program)
      .filter((setting) => setting.name === name && !setting.required)
      .map(({ type }) => Number(type.parse(undefined)))
      .filter(Number.isFinite),
  );
}
