import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "@jest/globals";
import { COPYING, EXPRESSION, REQUESTS } from "./linear-time/requests.ts";

interface Judged {
  readonly name: string;
  readonly isLinear: boolean;
}

let judged: Judged[];
beforeAll(async () => {
  const program = fileURLToPath(new URL("linear-time/measure-process.ts", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [program]);
  judged = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Judged);
}, 240_000);

/** Returns what was found of the requests of that name. */
const found = (name: string) => [...new Set(judged.filter((one) => one.name === name).map((one) => one.isLinear))];

test.each([...new Set(REQUESTS.map(({ name }) => name))])(
  "%s takes linear time, by lenient and strict options",
  (name) => {
    expect(found(name)).toEqual([true]);
  },
);

test.each([EXPRESSION, COPYING])("control: %s takes quadratic time", (name) => {
  expect(found(name)).toEqual([false]);
});
