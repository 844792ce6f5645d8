const suite = (name, pattern, extra = {}) => ({
  displayName: name,
  testMatch: [`**/*.${pattern}.test.ts`],
  testPathIgnorePatterns: ["/node_modules/", "/.cache/", "/.local/"],
  modulePathIgnorePatterns: ["<rootDir>/.cache/", "<rootDir>/.local/"],
  runtime: "<rootDir>/packages/testkit/jest/native-runtime.js",
  testEnvironment: "<rootDir>/packages/testkit/jest/environment.js",
  // Outside the folder for temporary files, which each run has for itself.
  cacheDirectory: "<rootDir>/.cache/jest",
  transform: {},
  ...extra,
});

const servers = {
  globalSetup: "<rootDir>/packages/testkit/jest/global-setup.ts",
  globalTeardown: "<rootDir>/packages/testkit/jest/global-teardown.ts",
};

/** Also a stack that the files of the suite share: see `joinTestStack`. */
const stack = { ...servers, globalSetup: "<rootDir>/test/e2e/global-setup.ts" };

/** Which suite a test belongs to is decided by its file's name: see CONTRIBUTING.md. */
export default {
  // Against hanging: no test of the gate is judged by how long it takes.
  testTimeout: 120_000,
  // With three, the suite takes a tenth more of the processor on two cores.
  maxWorkers: 2,
  // With a limit, no test file runs in jest's own process, which goes on when one hangs and is ended.
  workerIdleMemoryLimit: "1GB",
  testSequencer: "<rootDir>/packages/testkit/jest/sequencer.js",
  projects: [
    suite("unit", "unit"),
    suite("integration", "int", servers),
    suite("faults", "fault", servers),
    suite("end to end", "e2e", stack),
    suite("browser", "browser", servers),
    suite("long", "long", stack),
    suite("packed", "packed", servers),
    suite("images", "images", servers),
    suite("deploy", "deploy", servers),
    suite("chaos", "chaos", servers),
    suite("hostile", "hostile", servers),
    suite("cluster", "cluster", servers),
  ],
};
