import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Usage } from "@cloud/service";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { createSecret } from "../tokens/secret.ts";
import { readArguments } from "./read-arguments.ts";

const ADA = ["--organization", "Corp", "--email", "ada@example.test"];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "bootstrap-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function fileWith(text: string): string {
  const file = join(folder, "token");
  writeFileSync(file, text);
  return file;
}

function problemOf(...args: string[]): string {
  try {
    readArguments(args);
  } catch (error) {
    expect(error).toBeInstanceOf(Usage);
    return (error as Usage).message;
  }
  return "none";
}

test("reads the arguments, and a token with a line break after it", () => {
  expect(readArguments(ADA)).toEqual({
    organization: "Corp",
    email: "ada@example.test",
    firstName: "",
    lastName: "",
    secret: undefined,
    dryRun: false,
  });
  const secret = createSecret();
  const more = ["--first-name=Ada", "--last-name", "Lovelace", "--dry-run"];
  expect(readArguments([...ADA, ...more, "--token-file", fileWith(` ${secret.secret}\n`)])).toMatchObject({
    firstName: "Ada",
    lastName: "Lovelace",
    secret,
    dryRun: true,
  });
  expect([readArguments([]), readArguments([...ADA, "--help"])]).toEqual(["help", "help"]);
});

test.each([
  [["--email", "ada@example.test"], "--organization is required"],
  [["--organization", " ", "--email", "ada@example.test"], "--organization is required"],
  [["--organization", "Corp"], "--email is required"],
  [["--organization", "Corp", "--email", "ada"], "email must be an email address"],
  [[...ADA, "--organization", "x".repeat(256)], "--organization must be at most 255 characters"],
  [[...ADA, "--last-name", "x".repeat(256)], "--last-name must be at most 255 characters"],
  [[...ADA, "--token-file="], "--token-file is required"],
  [[...ADA, "--token-file", "/nowhere"], "the file /nowhere cannot be read: ENOENT"],
  [[...ADA, "--token-file", "/tmp"], "the file /tmp cannot be read: EISDIR"],
  [[...ADA, "--password", "x"], /^Unknown option '--password'/],
  [[...ADA, "more"], /^Unexpected argument 'more'/],
])("refuses %j", (args, problem) => {
  if (typeof problem === "string") expect(problemOf(...args)).toBe(problem);
  else expect(problemOf(...args)).toMatch(problem);
});

test.each(["cst_too-short", "", `cst_${"x".repeat(44)}`, "x".repeat(10_000)])(
  "refuses a file with %j, whose content is not shown",
  (text) => {
    const file = fileWith(text);
    const problem = problemOf(...ADA, "--token-file", file);
    expect(problem).toContain(`the file ${file} must contain a token: cst_ and 43 characters of base64url, such as`);
    if (text !== "") expect(problem).not.toContain(text);
  },
);

test("reads the start of a file without an end", () => {
  expect(problemOf(...ADA, "--token-file", "/dev/zero")).toContain("must contain a token");
});
