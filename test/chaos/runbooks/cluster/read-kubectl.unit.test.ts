import { expect, test } from "@jest/globals";
import { readKubectl } from "./read-kubectl.ts";

test("reads a verb of one or two words, its flags, and what a pod runs", () => {
  expect(readKubectl(["exec", "deploy/workspace", "--", "node", "operator.mjs", "replay", "--dry-run"])).toEqual({
    verb: "exec",
    operands: ["deploy/workspace"],
    flags: {},
    command: ["node", "operator.mjs", "replay", "--dry-run"],
  });
  expect(readKubectl(["set", "env", "deploy/workspace", "A=1"])).toMatchObject({
    verb: "set env",
    operands: ["deploy/workspace", "A=1"],
  });
  expect(readKubectl(["apply", "-k", "deploy/base/bootstrap"]).flags).toEqual({ kustomize: "deploy/base/bootstrap" });
  expect(readKubectl(["logs", "workspace-0", "--previous", "--tail=20"]).flags).toEqual({
    previous: "true",
    tail: "20",
  });
});

test.each([
  [["drain", "node-1"], "unknown command: kubectl drain node-1"],
  [["get", "nodes"], "unknown command: kubectl get nodes"],
  [["scale", "deploy/workspace", "--timeout=1s"], "Unknown option '--timeout'"],
])("refuses %j", (args, message) => {
  expect(() => readKubectl(args)).toThrow(message);
});
