import { parseArgs } from "node:util";

/** A command line of kubectl that the runbooks use. */
export interface KubectlCommand {
  /** The verb, with its subcommand if any, such as `rollout restart`. */
  readonly verb: string;
  /** The objects of the command, such as `deploy/workspace`, and its other arguments. */
  readonly operands: readonly string[];
  readonly flags: Readonly<Record<string, string>>;
  /** The arguments after `--`: the command that a pod runs. */
  readonly command: readonly string[];
}

/** The verbs and their flags. A flag with a value ends with `=`. */
const VERBS: Readonly<Record<string, readonly string[]>> = {
  exec: ["container="],
  "port-forward": [],
  logs: ["selector=", "container=", "tail=", "previous"],
  "get pods": ["selector="],
  "get secret": ["output="],
  "describe pod": [],
  "label pod": ["overwrite"],
  "delete pod": [],
  "delete secret": [],
  "delete job": ["ignore-not-found"],
  "rollout restart": [],
  "rollout status": [],
  "rollout undo": [],
  scale: ["replicas="],
  "set env": [],
  "patch secret": ["patch="],
  "patch hpa": ["patch="],
  apply: ["kustomize="],
  wait: ["for="],
};

/** @throws Error for a verb or a flag that no runbook uses, even if kubectl has it */
export function readKubectl(args: readonly string[]): KubectlCommand {
  const [first = "", second = ""] = args;
  const verb = first in VERBS ? first : `${first} ${second}`;
  const flags = VERBS[verb];
  if (flags === undefined) throw new Error(`unknown command: kubectl ${verb}`);
  const dashes = args.indexOf("--");
  const own = args.slice(verb.split(" ").length, dashes === -1 ? undefined : dashes);
  const options = Object.fromEntries(
    flags.map((flag) => [flag.replace("=", ""), { type: flag.endsWith("=") ? "string" : "boolean" } as const]),
  );
  if (verb === "apply") Object.assign(options["kustomize"] ?? {}, { short: "k" });
  const { values, positionals } = parseArgs({ args: own, options, allowPositionals: true });
  const given = Object.entries(values).map(([flag, value]) => [flag, String(value)] as const);
  return {
    verb,
    operands: positionals,
    flags: Object.fromEntries(given),
    command: dashes === -1 ? [] : args.slice(dashes + 1),
  };
}
