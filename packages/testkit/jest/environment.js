import { appendFileSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { ModernFakeTimers } from "@jest/fake-timers";
import { TestEnvironment } from "jest-environment-node";

/** How long what a test file has closed may take to end. */
const GRACE_MS = 20_000;

/**
 * The environment of jest for Node, which also writes to the file TEST_NOTES which process runs a test file, so that
 * run-jest.ts can end one that hangs, and what the file has left open, so that its run fails.
 */
// biome-ignore lint/style/noDefaultExport: jest takes an environment by its default export
export default class NotingEnvironment extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    this.path = context.testPath;
    // Test files run as modules of Node itself and use the timers of this process.
    this.fakeTimersModern = new ModernFakeTimers({ config: config.projectConfig, global: globalThis });
  }

  async setup() {
    await super.setup();
    process.env["TEST_FILE"] = this.path; // for the notes of what a file has left open
    this.before = openResources();
    note({ path: this.path, pid: process.pid });
  }

  async teardown() {
    await super.teardown();
    // A worker would otherwise write the whole cache at its end, and jest kills a worker that takes half a second.
    flushCompileCache();
    const deadline = performance.now() + GRACE_MS;
    let left = this.left();
    while (left.length > 0 && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      left = this.left();
    }
    if (left.length > 0) note({ path: this.path, leftOpen: left });
  }

  /** Returns the kinds of resources that keep the process alive now, and did not before. */
  left() {
    const before = [...this.before];
    return openResources().filter((kind) => {
      const index = before.indexOf(kind);
      if (index !== -1) before.splice(index, 1);
      return index === -1;
    });
  }
}

/** Timers aside: jest has some of its own. */
function openResources() {
  return process.getActiveResourcesInfo().filter((kind) => /^(TCP|Process|Pipe|TLS|FSEvent|MessagePort)/.test(kind));
}

function note(line) {
  const notes = process.env["TEST_NOTES"];
  if (notes !== undefined) appendFileSync(notes, JSON.stringify(line) + "\n");
}
