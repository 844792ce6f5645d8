/** The names that a query of Prometheus contains. */
interface QueryNames {
  /** Each metric with the labels that it is selected by. */
  readonly metrics: readonly { readonly name: string; readonly labels: readonly string[] }[];
  /** The labels that results are grouped or matched by. */
  readonly grouping: readonly string[];
}

const GROUPING = new Set(["by", "without", "on", "ignoring", "group_left", "group_right"]);
const AGGREGATIONS = new Set(["sum", "max", "min", "avg", "count", "topk", "quantile"]);
const WORDS = new Set(["and", "or", "unless", "bool", "offset", "inf", "nan"]);
const TOKEN = /"(?:[^"\\]|\\.)*"|[a-zA-Z_:][\w:]*|\[[^\]]*\]|\d[\w.]*|[=!<>]=|[=!]~|\S/g;

/**
 * Reads the names in a query. Its syntax is promtool's to check; variables of Grafana may only stand in strings and
 * ranges.
 */
function readQuery(query: string): QueryNames {
  const tokens: readonly string[] = query.match(TOKEN) ?? [];
  const metrics: { name: string; labels: string[] }[] = [];
  const grouping: string[] = [];
  /** Returns the identifiers up to `end`, and moves behind it. */
  const identifiersUntil = (from: number, end: string): [string[], number] => {
    const to = tokens.indexOf(end, from);
    return [tokens.slice(from, to).filter((token) => /^[a-zA-Z_]/.test(token)), to];
  };
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] as string;
    const next = tokens[at + 1];
    if (!/^[a-zA-Z_:]/.test(token) || WORDS.has(token)) continue;
    if (GROUPING.has(token)) {
      if (next !== "(") continue;
      const [labels, end] = identifiersUntil(at + 2, ")");
      grouping.push(...labels);
      at = end;
    } else if (next === "{") {
      const [labels, end] = identifiersUntil(at + 2, "}");
      metrics.push({ name: token, labels });
      at = end;
    } else if (next !== "(" && !AGGREGATIONS.has(token)) {
      metrics.push({ name: token, labels: [] });
    }
  }
  return { metrics, grouping };
}

/**
 * Returns what a query names and `series` do not have: metrics, labels of a metric, and labels that no metric of the
 * query has. A series without labels, such as that of a recording rule, may have any.
 */
export function unknownIn(query: string, series: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const { metrics, grouping } = readQuery(query);
  const labelsOf = (name: string) => series.get(name) ?? new Set();
  const isAny = metrics.some(({ name }) => series.get(name)?.size === 0);
  return [
    ...(metrics.length === 0 ? ["no metric"] : []),
    ...metrics.flatMap(({ name, labels }) => {
      if (!series.has(name)) return [name];
      if (labelsOf(name).size === 0) return [];
      return labels.filter((label) => !labelsOf(name).has(label)).map((label) => `${name}{${label}}`);
    }),
    ...grouping.filter((label) => !isAny && !metrics.some(({ name }) => labelsOf(name).has(label))),
  ];
}
