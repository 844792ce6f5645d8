import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** A statement of the sources: a template of the tag `statement` or `sql` that begins with a verb. */
export interface Statement {
  /** The path from the root, such as `services/workspace/src/workspaces/sql.ts`. */
  readonly file: string;
  /** Parts of it that are constants of the same file are filled in; others stay `${name}`. */
  readonly text: string;
}

const VERB = /^\s*(select|insert|update|delete|with|merge)\b/;

/** Returns all statements that programs send for requests and events. */
export function readStatements(): Statement[] {
  const files = ["services/*/src/**/*.ts", "packages/{service,events}/src/**/*.ts"];
  const sources = files
    .flatMap((pattern) => globSync(pattern, { cwd: ROOT }))
    .filter((file) => !/\.test\.ts$/.test(file));
  return sources.toSorted().flatMap((file) => statementsOf(file, readFileSync(ROOT + file, "utf8")));
}

export function statementsOf(file: string, source: string): Statement[] {
  const constants = new Map<string, string>();
  const found: string[] = [];
  for (const match of source.matchAll(/(?:const (\w+)(?:: SqlText)? = )?(?:sql|statement(?:<[^`]*?>)?)`/g)) {
    const text = templateAt(source, match.index + match[0].length);
    if (match[1] !== undefined) constants.set(match[1], text);
    found.push(text);
  }
  return found.filter((text) => VERB.test(text)).map((text) => ({ file, text: fill(text, constants) }));
}

/** Returns the text of a template up to its end, over the templates in its holes. */
function templateAt(source: string, begin: number): string {
  let holes = 0;
  let at = begin;
  for (const inner: boolean[] = []; at < source.length; at++) {
    const char = source[at];
    if (char === "$" && source[at + 1] === "{") holes++;
    else if (char === "}" && holes > 0 && inner.at(-1) !== true) holes--;
    else if (char === "`" && holes === 0) break;
    else if (char === "`") inner.at(-1) === true ? inner.pop() : inner.push(true);
  }
  return source.slice(begin, at);
}

function fill(text: string, constants: ReadonlyMap<string, string>): string {
  const filled = text.replaceAll(/\$\{(\w+)\}/g, (hole, name: string) => constants.get(name) ?? hole);
  return filled === text ? text : fill(filled, constants);
}
