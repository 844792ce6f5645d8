import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type EmptyTestStack, startEmptyTestStack } from "@cloud/local-stack/test-stack";
import { COMPILE_CACHE } from "@cloud/testkit";
import { afterAll, beforeAll, expect, test } from "@jest/globals";

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const PAGE = readFileSync(new URL("../../docs/first-day.md", import.meta.url), "utf8");

let stack: EmptyTestStack;
beforeAll(async () => {
  stack = await startEmptyTestStack();
});
afterAll(() => stack.stop());

/** Returns the blocks of a language in the page, unchanged. */
const blocksOf = (language: string) =>
  [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"))].map(([, text = ""]) => text);

test("the first day has the documented results, from an empty database on", async () => {
  const env = {
    ...process.env,
    ...COMPILE_CACHE,
    DATABASE_URL: stack.superuserUrl,
    API: `${stack.gateway}/api`,
    IDENTITY: stack.services.identity,
    OPERATOR: stack.serviceToken,
  };
  const script = blocksOf("sh").join("\n");
  const { stdout, stderr } = await run("bash", ["--norc", "-euo", "pipefail", "-c", script], { cwd: ROOT, env });
  expect([stdout, stderr]).toEqual([blocksOf("text").join(""), ""]);
});
