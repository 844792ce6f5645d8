import { afterEach } from "@jest/globals";
import { type NpmStart, npmStart } from "./npm-start.ts";

/** Returns `npmStart` for a test file: what a test has started is stopped after it. */
export function trackStarts(): typeof npmStart {
  const running: NpmStart[] = [];
  afterEach(async () => {
    for (const started of running.splice(0)) {
      if (started.child.exitCode === null) started.child.kill("SIGTERM");
      await started.ended();
    }
  });
  return (...args) => {
    const started = npmStart(...args);
    running.push(started);
    return started;
  };
}
