import { parseArgs } from "node:util";
import { isId } from "@cloud/contract";

/** Thrown for an invalid command line. */
export class Usage extends Error {}

/** A parsed command line. */
export type Command =
  | "help"
  | { readonly name: "purge"; readonly dryRun: boolean }
  | { readonly name: "rewind"; readonly dryRun: boolean }
  | { readonly name: "reconcile"; readonly dryRun: boolean }
  | { readonly name: "migrate"; readonly dryRun: boolean }
  | { readonly name: "replay"; readonly id: string | undefined; readonly dryRun: boolean }
  | { readonly name: "check-counts"; readonly repair: boolean }
  | { readonly name: "end-unknown"; readonly count: number | undefined }
  | { readonly name: "accept-installation"; readonly peer: string; readonly dryRun: boolean };

/** @throws Usage */
export function readCommand(args: readonly string[]): Command {
  const { values, positionals } = parse(args);
  if (values.help || args.length === 0) return "help";
  const [name, second] = positionals;
  if (second !== undefined) throw new Usage(`one command is run at a time, not ${second}, too`);
  const dryRun = values["dry-run"] === true;
  if (name === "purge" || name === "rewind" || name === "reconcile" || name === "migrate") return { name, dryRun };
  if (name === "replay") {
    if (values.id !== undefined && !isId(values.id)) throw new Usage("--id takes the id that --dry-run has shown");
    return { name, id: values.id?.toLowerCase(), dryRun };
  }
  if (name === "check-counts") return { name, repair: values.repair === true };
  if (name === "end-unknown") {
    if (dryRun === (values.count !== undefined)) throw new Usage("end-unknown takes either --dry-run or --count");
    if (!/^[1-9]\d*$/.test(values.count ?? "1")) throw new Usage("--count takes the number that --dry-run has shown");
    return { name, count: values.count === undefined ? undefined : Number(values.count) };
  }
  if (name === "accept-installation") {
    if (values.peer === undefined) throw new Usage("accept-installation takes --peer");
    return { name, peer: values.peer, dryRun };
  }
  throw new Usage(`there is no command ${name ?? "without a name"}`);
}

function parse(args: readonly string[]) {
  const text = { type: "string" } as const;
  const flag = { type: "boolean" } as const;
  const options = { help: flag, "dry-run": flag, repair: flag, count: text, peer: text, id: text };
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new Usage((error as Error).message.split("\n", 1)[0]);
  }
}
