const transform = { "^.+\\.ts$": "<rootDir>/test/jest/strip-types.js" };

const suite = (name, pattern, extra = {}) => ({
  displayName: name,
  testMatch: [`**/*.${pattern}.test.ts`],
  testPathIgnorePatterns: ["/node_modules/", "/.cache/", "/.local/"],
  modulePathIgnorePatterns: ["<rootDir>/.cache/", "<rootDir>/.local/"],
  testEnvironment: "<rootDir>/test/jest/environment.js",
  // Outside the folder for temporary files, which each run has for itself.
  cacheDirectory: "<rootDir>/.cache/jest",
  extensionsToTreatAsEsm: [".ts"],
  transform,
  ...extra,
});

const servers = {
  globalSetup: "<rootDir>/packages/testkit/src/jest-global-setup.ts",
  globalTeardown: "<rootDir>/packages/testkit/src/jest-global-teardown.ts",
};

/** Which suite a test belongs to is told by its file's name: see CONTRIBUTING.md. */
export default {
  // Against hanging: no test of the gate is judged by how long it takes.
  testTimeout: 120_000,
  // Tests wait for servers most of their time: two at once take little longer than one.
  maxWorkers: 3,
  // Modules of test files are never collected: 100 files took 1.9 GB, and marking them ever more time. With 1 GB the suite
  // takes an eighth more of the processor, with 150 MB, for beginning workers, a tenth more.
  workerIdleMemoryLimit: "300MB",
  testSequencer: "<rootDir>/jest.sequencer.js",
  projects: [
    suite("unit", "unit"),
    suite("integration", "int", servers),
    suite("faults", "fault", servers),
    suite("end to end", "e2e", servers),
    suite("browser", "browser", servers),
    suite("long", "long", servers),
    suite("packed", "packed", servers),
    suite("images", "images", servers),
    suite("deploy", "deploy", servers),
    suite("chaos", "chaos", servers),
    suite("hostile", "hostile", servers),
    suite("cluster", "cluster", servers),
  ],
};
