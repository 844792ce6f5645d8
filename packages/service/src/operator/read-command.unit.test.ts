import { expect, test } from "@jest/globals";
import { readCommand, Usage } from "./read-command.ts";

test.each([
  ["purge --dry-run", { name: "purge", options: { dryRun: true } }],
  ["check-counts --repair", { name: "check-counts", options: { repair: true, dryRun: false } }],
  ["end-unknown --count 2", { name: "end-unknown", options: { count: 2 } }],
  ["accept-installation --peer identity --dry-run", { name: "accept-installation", options: { peer: "identity" } }],
  ["replay --id 019B76DA-A800-7000-8000-000000000001", { name: "replay" }],
  ["migrate", { name: "migrate" }],
  ["--help", "help"],
])("%s is understood", (line, command) => {
  const read = readCommand(line.split(" "));
  if (typeof command === "string") expect(read).toBe(command);
  else expect(read).toMatchObject(command);
});

test.each([
  ["purge --count 5", "purge takes no --count"],
  ["replay --repair", "replay takes no --repair"],
  ["migrate --id 1", "migrate takes no --id"],
  ["check-counts --peer identity", "check-counts takes no --peer"],
  ["end-unknown", "end-unknown takes either --dry-run or --count"],
  ["end-unknown --count 0", "--count takes the number that --dry-run has shown"],
  ["replay --id x", "--id takes the id that --dry-run has shown"],
  ["constructor", "there is no command constructor"],
  ["purge rewind", "one command is run at a time, not rewind, too"],
])("%s is wrong usage: %s", (line, message) => {
  expect(() => readCommand(line.split(" "))).toThrow(new Usage(message));
});
