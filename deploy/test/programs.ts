import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The root of the repository. */
export const root = fileURLToPath(new URL("../../", import.meta.url));

export interface Program {
  readonly name: string;
  /** What the image is built with as PROGRAM. */
  readonly folder: string;
  readonly port: number;
}

export const programs: readonly Program[] = [
  { name: "workspace", folder: "services/workspace", port: 8081 },
  { name: "environment", folder: "services/environment", port: 8082 },
  { name: "identity", folder: "services/identity", port: 8083 },
  { name: "gateway", folder: "gateway", port: 8080 },
];

export interface Setting {
  readonly name: string;
  readonly required: boolean;
}

/** A line of the shape that main.ts gives as `settings`, such as `    PORT: port(8081),`. */
const SETTING = /^ {4}([A-Z][A-Z0-9_]*): (.+),$/gm;

/** The environment variables that a program reads, taken from the source of its main.ts. */
export function settingsOf({ folder }: Program): Setting[] {
  const source = readFileSync(`${root}${folder}/src/main.ts`, "utf8");
  const shape = source.slice(source.indexOf("settings: {"), source.indexOf("start: ("));
  if (!shape.includes("    PORT:")) throw new Error(`${folder}/src/main.ts is not written as this test reads it`);
  const own = [...shape.matchAll(SETTING)].map(([, name = "", type = ""]) => ({ name, required: !hasDefault(type) }));
  return [...own, ...READ_FOR_ALL];
}

/** What runProgram of packages/rpc reads. */
const READ_FOR_ALL: readonly Setting[] = [{ name: "LAME_DUCK_MS", required: false }];

function hasDefault(type: string): boolean {
  return type.includes(".default(") || /^(host|logLevel|milliseconds|port|replicas|secretList)\(/.test(type);
}
