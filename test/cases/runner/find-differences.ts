export interface MatchOptions {
  /** Whether an absent value also matches `null`, as an absent Timestamp does by RPC. */
  readonly absentIsNull: boolean;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

const MATCHERS: Readonly<Record<string, (got: unknown) => boolean>> = {
  "<uuid>": (got) => typeof got === "string" && UUID.test(got),
  "<time>": (got) => typeof got === "string" && TIME.test(got) && !Number.isNaN(Date.parse(got)),
  "<string>": (got) => typeof got === "string",
  "<int>": (got) => Number.isInteger(got),
  "<any>": (got) => got !== undefined,
  "<absent>": (got) => got === undefined,
};

/**
 * Returns one line for each place where `got` differs from what is expected. Mappings match in part, lists exactly in
 * length and order unless they are written `{ contains: […] }` or `{ excludes: […] }`; texts may be matchers such as
 * `<uuid>` or `/regular expression/`.
 */
export function findDifferences(expected: unknown, got: unknown, options: MatchOptions, path = "body"): string[] {
  if (expected === null && got === undefined && options.absentIsNull) return [];
  if (typeof expected === "string") return matchesText(expected, got) ? [] : [difference(path, expected, got)];
  if (Array.isArray(expected)) return compareLists(expected, got, options, path);
  if (typeof expected !== "object" || expected === null)
    return expected === got ? [] : [difference(path, expected, got)];
  if (isListPattern(expected)) return compareInPart(expected, got, options, path);
  if (typeof got !== "object" || got === null || Array.isArray(got)) return [difference(path, expected, got)];
  return Object.entries(expected).flatMap(([key, value]) =>
    findDifferences(value, (got as Record<string, unknown>)[key], options, `${path}.${key}`),
  );
}

function matchesText(expected: string, got: unknown): boolean {
  const matcher = MATCHERS[expected];
  if (matcher !== undefined) return matcher(got);
  const pattern = /^\/(.+)\/$/s.exec(expected)?.[1];
  if (pattern !== undefined) return typeof got === "string" && new RegExp(pattern).test(got);
  return expected === got;
}

function compareLists(expected: unknown[], got: unknown, options: MatchOptions, path: string): string[] {
  if (!Array.isArray(got)) return [difference(path, expected, got)];
  const length = expected.length === got.length ? [] : [difference(`${path}.length`, expected.length, got.length)];
  const shared = expected.slice(0, got.length);
  return [
    ...length,
    ...shared.flatMap((item, index) => findDifferences(item, got[index], options, `${path}[${index}]`)),
  ];
}

interface ListPattern {
  readonly contains?: readonly unknown[];
  readonly excludes?: readonly unknown[];
}

function isListPattern(expected: object): expected is ListPattern {
  const keys = Object.keys(expected);
  return keys.length > 0 && keys.every((key) => key === "contains" || key === "excludes");
}

function compareInPart(expected: ListPattern, got: unknown, options: MatchOptions, path: string): string[] {
  if (!Array.isArray(got)) return [difference(path, expected, got)];
  const isIn = (item: unknown) => got.some((one) => findDifferences(item, one, options).length === 0);
  return [
    ...(expected.contains ?? []).filter((item) => !isIn(item)).map((item) => difference(`${path} contains`, item, got)),
    ...(expected.excludes ?? []).filter(isIn).map((item) => difference(`${path} excludes`, item, got)),
  ];
}

function difference(path: string, expected: unknown, got: unknown): string {
  return `${path}: expected ${show(expected)}, got ${show(got)}`;
}

const show = (value: unknown): string => (value === undefined ? "nothing" : JSON.stringify(value));
