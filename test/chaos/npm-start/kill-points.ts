import type { RemovedProtection } from "@cloud/testkit";

const KILL = 'process.kill(process.pid, "SIGKILL");';

/** Places at which a start kills itself, for moments too short to be hit from outside. */
export const killPoints = {
  /** Every demo record has been created, but demo.json has not. */
  beforeDemoFile: { marker: "whole-demo-file", instead: KILL },
  /** Both demo.json and the mark of the first start exist. */
  beforeMarkDeleted: { marker: "finished-first-start", instead: KILL },
} satisfies Record<string, RemovedProtection>;
