const transform = { "^.+\\.ts$": "<rootDir>/test/jest/strip-types.js" };

const suite = (name, pattern, extra = {}) => ({
  displayName: name,
  testMatch: [`**/*.${pattern}.test.ts`],
  testPathIgnorePatterns: ["/node_modules/", "/.cache/", "/.local/"],
  modulePathIgnorePatterns: ["<rootDir>/.cache/", "<rootDir>/.local/"],
  testEnvironment: "node",
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
  testTimeout: 30_000,
  // Tests wait for servers most of their time: two at once take little longer than one.
  maxWorkers: 3,
  testSequencer: "<rootDir>/jest.sequencer.js",
  projects: [
    suite("unit", "unit"),
    suite("integration", "int", servers),
    suite("faults", "fault", servers),
    suite("end to end", "e2e", servers),
    suite("browser", "browser", servers),
    suite("packed", "packed", servers),
    suite("images", "images", servers),
    suite("chaos", "chaos", servers),
    suite("hostile", "hostile", servers),
    suite("cluster", "cluster", servers),
  ],
};
