import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { createPlay } from "./play.ts";
import { fuzzed } from "./requests.ts";

/**
 * Declares the test that plays so many random requests. `npm run fuzz --workspace packages/transcoder -- --long` plays
 * a million.
 */
export function testRequests(count: number): void {
  test("no request overrides its path, or fails otherwise than as a mistake of its client", async () => {
    const play = createPlay();
    let bound = 0;
    await fc.assert(
      fc.asyncProperty(fuzzed, async (request) => {
        const { status, isBound, override } = await play(request);
        if (isBound) bound++;
        if (override !== undefined || status >= 500) throw new Error(`${status}: overrides ${override}`);
      }),
      { numRuns: count },
    );
    // Enough of them get as far as a message.
    expect(bound).toBeGreaterThan(count / 10);
    expect(Object.keys(Object.prototype)).toEqual([]);
  }, 300_000);
}
