import type { RemovedProtection } from "@cloud/testkit";

const KILL = 'process.kill(process.pid, "SIGKILL");';

/** Places at which a start kills itself, for moments too short to be hit from outside. */
export const killPoints = {
  /** Every demo record has been created, but demo.json has not. */
  beforeDemoFile: { file: "packages/local-stack/src/demo.ts", find: "await rename(unfinished, file);", replace: KILL },
  /** Both demo.json and the mark of the first start exist. */
  beforeMarkDeleted: {
    file: "packages/local-stack/src/start-local.ts",
    find: "await finishFirstStart(settings.folder);",
    replace: KILL,
  },
} satisfies Record<string, RemovedProtection>;
