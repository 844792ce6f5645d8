import type { Demo } from "@cloud/local-stack";
import fc from "fast-check";
import { audit } from "./audit.ts";
import { environmentCommands } from "./environment-commands.ts";
import { fullLength } from "./full-length.ts";
import { linkCommands } from "./link-commands.ts";
import { listCommands } from "./list-commands.ts";
import { logCommands } from "./log-commands.ts";
import { memberCommands } from "./member-commands.ts";
import { RULES, type Rules } from "./model.ts";
import { createReal, type Send } from "./real.ts";
import type { Command } from "./step.ts";
import { teamCommands } from "./team-commands.ts";
import { workspaceCommands } from "./workspace-commands.ts";
import { createWorlds } from "./world.ts";

const MAX_COMMANDS = 30;
/** The most by which sequences are shorter, so that they are 29.5 commands long on average. */
const SHORTER = 1;
/**
 * A run's limit, which even a busy machine keeps. A counter-example that is still being shrunk is reported as it is.
 */
const LONGEST_MS = 540_000;

const everyCommand = [
  ...workspaceCommands,
  ...environmentCommands,
  ...linkCommands,
  ...linkCommands,
  ...teamCommands,
  ...memberCommands,
  ...listCommands,
  ...logCommands,
];

export interface Game {
  readonly demo: Demo;
  readonly send: Send;
  readonly seed: number;
  readonly runs: number;
  /** The path of a counter-example: fast-check's path and replayPath, with a comma between. */
  readonly path?: string | undefined;
  readonly rules?: Rules;
  /** The commands of sequences, and their greatest number; all, and 30, if absent. */
  readonly commands?: readonly fc.Arbitrary<Command>[];
  readonly maxCommands?: number;
  /** Number of concurrent fast-check runs, each with a share of the sequences and its own seed. */
  readonly shards: number;
}

export interface Outcome {
  sequences: number;
  /** Number of commands played. */
  steps: number;
  failures: Failure[];
}

export interface Failure {
  /** The shrunk sequence, the difference, the calls, and how to repeat it. */
  readonly report: string;
  /** The commands left after shrinking, up to the one that failed. */
  readonly commands: readonly string[];
  readonly seed: number;
  readonly path: string;
}

/** Plays random sequences, each in a new pair of organizations. The first shard that fails stops the others. */
export async function play(game: Game): Promise<Outcome> {
  const outcome: Outcome = { sequences: 0, steps: 0, failures: [] };
  const shards = game.path === undefined ? game.shards : 1;
  const share = { ...game, runs: Math.ceil(game.runs / shards) };
  await Promise.all(
    Array.from({ length: shards }, (_, shard) => playShard({ ...share, seed: game.seed + shard }, outcome)),
  );
  return outcome;
}

async function playShard(game: Game, outcome: Outcome): Promise<void> {
  const {
    demo,
    send,
    seed,
    runs,
    path,
    rules = RULES,
    commands: drawn = everyCommand,
    maxCommands = MAX_COMMANDS,
  } = game;
  const [shrinkPath, replayPath] = path?.split(",") ?? [];
  const worlds = createWorlds(demo, send);
  let failed = false;
  const sequences = fc.commands([...drawn], {
    maxCommands,
    size: "max",
    ...(replayPath === undefined ? {} : { replayPath }),
  });
  const property = fc.asyncProperty(fullLength(sequences, maxCommands - SHORTER), async (commands) => {
    if (outcome.failures.length > 0 && !failed) return;
    const model = await worlds.make(rules);
    const real = createReal(send);
    try {
      await fc.asyncModelRun(() => ({ model, real }), commands);
      outcome.steps += real.trace.length;
      outcome.sequences++;
      await audit(model, real);
    } catch (error) {
      failed = true;
      throw error;
    } finally {
      worlds.leave(model);
    }
  });
  const details = await fc.check(property, {
    seed,
    interruptAfterTimeLimit: LONGEST_MS,
    markInterruptAsFailure: true,
    ...(shrinkPath === undefined ? { numRuns: runs } : { numRuns: 1, path: shrinkPath }),
  });
  if (details.failed) outcome.failures.push(failureOf(details));
}

/** If nothing shorter fails, the sequence still has the commands behind the one that failed. */
const hasRan = (command: Command) => (command as Command & { readonly hasRan: boolean }).hasRan;

function failureOf(details: fc.RunDetails<[Iterable<Command>]>): Failure {
  const { seed, counterexamplePath, counterexample, errorInstance } = details;
  const sequence = counterexample?.[0];
  const replayPath = /replayPath="([^"]*)"/.exec(String(sequence))?.[1] ?? "";
  const path = [counterexamplePath ?? "", replayPath].join();
  const commands = [...(sequence ?? [])].filter(hasRan).map(String);
  const report = [
    "after " + String(details.numRuns) + " sequences and " + String(details.numShrinks) + " shrinks:",
    ...commands.map((command) => "  " + command),
    details.interrupted ? "interrupted" : String(errorInstance),
    "again: MODEL_SEED=" + String(seed) + " MODEL_PATH=" + path + " npm test -- test/model",
  ].join("\n");
  return { report, commands, seed, path };
}
