import type { RemovedProtection } from "@cloud/testkit";

/** What `npm start` does for its servers and its data. */
export const localStackControls = {
  /** Promise 22. `npm start` does not watch its servers. */
  serversWatched: [
    {
      file: "packages/local-servers/src/keep-running.ts",
      find: "const how = await endOf(life, stopping);",
      replace: "const how = undefined;",
    },
  ],
  /** Promise 22. A server that keeps ending is restarted indefinitely. */
  startsLimited: [
    {
      file: "packages/local-servers/src/keep-running.ts",
      find: "if (recent >= MOST_STARTS) return false;",
      replace: "",
    },
  ],
  /** Promise 23. `npm start` does not watch npm. */
  npmWatched: [
    {
      file: "packages/local-stack/src/main.ts",
      find: "watchNpm(resolve);",
      replace: "",
    },
  ],
  /** Promise 28. No file marks an unfinished first start. */
  firstStartMarked: [
    {
      file: "packages/local-stack/src/first-start.ts",
      find: 'if (demo) await writeFile(paths.firstStart, "");',
      replace: "if (demo) {}",
    },
  ],
  /** Promise 28. The mark alone counts, even if there is a demo.json. */
  finishedByDemo: [
    {
      file: "packages/local-stack/src/first-start.ts",
      find: "const isUnfinished = existsSync(paths.firstStart) && !existsSync(paths.demo);",
      replace: "const isUnfinished = existsSync(paths.firstStart);",
    },
  ],
  /** Promise 28. Data of earlier starts are marked like those of a first start. */
  keptDataUnmarked: [
    {
      file: "packages/local-stack/src/first-start.ts",
      find: "if (existsSync(clusterFolderOf(paths.postgres))) return finishFirstStart(folder);",
      replace: "",
    },
  ],
  /** Promise 28. Servers of a killed start are not stopped. */
  leftoversStopped: [
    {
      file: "packages/local-stack/src/start-servers.ts",
      find: "await stopLeftoverPostgres(paths.postgres, print);",
      replace: "",
    },
    {
      file: "packages/local-stack/src/start-servers.ts",
      find: "await stopLeftoverNats(paths.nats, print);",
      replace: "",
    },
  ],
} satisfies Record<string, readonly RemovedProtection[]>;
