import { existsSync, writeFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
test("fails once", () => { const was = existsSync("/tmp/trial-b"); writeFileSync("/tmp/trial-b", ""); expect(was).toBe(true); });
