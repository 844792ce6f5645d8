import { dirname, posix } from "node:path";
import { type Document, list, readText } from "./documents.ts";
import { allTables } from "./tables.ts";

const FILES = new Set(list(["**/*", ".ci/*", ".github/**/*", ".*"]));
const PROGRAM_FOLDERS = ["services/workspace/", "services/environment/", "services/identity/"];
const FILE_NAME = /\w\.(ts|js|sql|proto|md|ya?ml|json|grit|binpb)$/;
const PLACEHOLDER = /[<{…*]|\$/;
const NPM_COMMAND =
  /\bnpm (?:(run) (?:(?:-s|--silent) )?([\w:-]+)|(test|start))(?: --workspace (\S+?))?(?=[\s`.,)]|$)/g;
const TEST_OF_FOLDER = /\bnpm test -- ([\w./-]*\w)/g;

/** Names of Postgres, Kubernetes and Protobuf that a page needs and no source has. */
const OF_OTHERS = [
  "recovery_target_time",
  "preStop",
  "idempotency_level",
  "connect_query",
  "ignore_startup_parameters",
  "record_homes",
];

/** Metrics of earlier releases, which the pages about changes name. */
const FORMER = ["gateway_requests_total", "gateway_request_duration_seconds", "rpc_server_duration_seconds"];

/** A word of the sources that are neither tests nor documents. */
const words = new Set(
  list([
    "{services,packages,gateway,test,bench}/**/*.{ts,sql,yaml}",
    "proto/**/*.{proto,yaml}",
    "deploy/**/*.{ts,yaml}",
    "**/package.json",
    "{biome,tsconfig.base}.json",
  ])
    .filter((path) => !path.startsWith("docs/test/"))
    .flatMap((path) => readText(path).match(/\w+/g) ?? [])
    .concat(OF_OTHERS, FORMER),
);

/** Returns the links of the page to files that do not exist, relative to the page. */
export function brokenLinks({ path, text }: Document): string[] {
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
  return targets.filter((target) => {
    if (/^[a-z]+:/.test(target)) return false;
    const [file = "", anchor] = target.split("#");
    const linked = file === "" ? path : posix.join(dirname(path), file);
    if (!FILES.has(linked.replace(/\/$/, ""))) return true;
    return anchor !== undefined && !anchorsOf(readText(linked)).has(anchor);
  });
}

/** Pages that a stranger follows in an empty folder: their blocks name what they make, and tests run them. */
const FOLLOWED = ["packages/transcoder/README.md", "packages/client/README.md", "proto/README.md", "docs/clients.md"];

/** Returns the files and folders that the page names and that do not exist. */
export function missingFiles({ path, text }: Document): string[] {
  if (FOLLOWED.includes(path)) return [];
  return codeOf(text)
    .flatMap((code) => code.split(/[\s"'`|,;()=]+/))
    .map((word) => word.replace(/[.:]$/, "").replace(/:\d+$/, "").replace(/^\.\//, "").replace(/\/$/, ""))
    .filter((word) => isPath(word) && !PLACEHOLDER.test(word) && !exists(word, dirname(path)));
}

/** Returns the npm commands of the page that no package.json has. */
export function missingCommands({ text }: Document): string[] {
  const commands = [...text.matchAll(NPM_COMMAND)].filter(([, , script, standard, workspace]) => {
    const folder = workspace === undefined ? "" : `${workspace}/`;
    if (!FILES.has(`${folder}package.json`)) return true;
    const { scripts = {} } = JSON.parse(readText(`${folder}package.json`)) as { scripts?: Record<string, string> };
    return scripts[script ?? standard ?? ""] === undefined;
  });
  const folders = [...text.matchAll(TEST_OF_FOLDER)].filter(
    ([, part = ""]) => ![...FILES].some((file) => file.includes(part)),
  );
  return [...commands, ...folders].map(([command]) => command);
}

/** Returns the names in snake_case that are no word of the sources: tables, columns, metrics. */
export function unknownNames({ text }: Document): string[] {
  return inlineCodeOf(text)
    .flatMap((code) => (/^[a-z]+(_[a-z]+)+(?=$|[{( ])/.exec(code) ?? []).slice(0, 1))
    .filter((name) => !words.has(name));
}

/** Returns the tables that the page names and no migration creates. */
export function missingTables({ text }: Document): string[] {
  const named = [...text.matchAll(/\btables?\s((?:`\w+`(?:,\s|\sand\s)?)+)/g)].flatMap(
    ([, names = ""]) => names.match(/\w+(?=`)/g) ?? [],
  );
  return named.filter((name) => !allTables.has(name));
}

/** Returns the lines of prose with which the next one begins, too, as a merge leaves them. */
export function repeatedLines({ text }: Document): string[] {
  const lines = text.split("\n");
  return lines.filter((line, index) => /^(?! {4}).{40}/.test(line) && lines[index + 1]?.startsWith(line));
}

/** Returns the identifiers in camelCase and PascalCase that are no word of the sources. */
export function unknownIdentifiers({ text }: Document): string[] {
  return inlineCodeOf(text)
    .flatMap((code) => (/^(?:[a-z]+|[A-Z][a-z]+)[A-Z]\w*(?=$|\()/.exec(code) ?? []).slice(0, 1))
    .filter((name) => !words.has(name));
}

function anchorsOf(text: string): Set<string> {
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\w\s-]/g, "")
        .replace(/\s/g, "-"),
    ),
  );
}

function inlineCodeOf(text: string): string[] {
  const prose = text.replace(/^ *```[\s\S]*?^ *```$/gm, "");
  return [...prose.matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code);
}

/** Returns the code of a page: inline, in fences and indented. */
function codeOf(text: string): string[] {
  const fences = [...text.matchAll(/^ *```\w*\n([\s\S]*?)^ *```$/gm)].map(([, code = ""]) => code);
  const indented = [...text.matchAll(/^ {4}(\S.*)$/gm)].map(([, code = ""]) => code);
  return [...inlineCodeOf(text), ...fences, ...indented];
}

/** Returns whether a word is a path of this repository: it begins with one of its folders, or names a source file. */
function isPath(word: string): boolean {
  if (/^(\/|@|\.local|\.cache|reports|node_modules|https?:)/.test(word)) return false;
  return /^(proto|packages|services|gateway|deploy|docs|test|bench|\.ci|\.github)\//.test(word) || FILE_NAME.test(word);
}

/**
 * Returns whether a path exists from the root, from the page's folder, or from a service or package, or is the end of
 * one, such as `relay/outbox-sql.ts`.
 */
function exists(word: string, folder: string): boolean {
  const from = ["", `${folder}/`, ...PROGRAM_FOLDERS];
  if (from.some((start) => FILES.has(posix.join(start, word)))) return true;
  return FILE_NAME.test(word) && [...FILES].some((file) => file.endsWith(`/${word}`));
}
