import { joinTestStack, type TestStack } from "@cloud/local-stack/test-stack";
import { beforeAll, describe, expect, test } from "@jest/globals";
import {
  type Case,
  type CaseFile,
  createPlayer,
  type Play,
  type Player,
  parseCaseFile,
  playCase,
  readCaseFiles,
} from "./runner/index.ts";

let stack: TestStack;
let player: Player;
beforeAll(async () => {
  stack = await joinTestStack();
  player = await createPlayer(stack);
});

/** Cases mostly wait for responses; more concurrency than this gains nothing on two cores. */
const CONCURRENCY = 6;

/** The outcome of every play of a file: undefined, or what it failed with. */
type Outcomes = ReadonlyMap<string, unknown>;

async function playFile(file: CaseFile): Promise<Outcomes> {
  const outcomes = new Map<string, unknown>();
  const queue = file.cases.values();
  const work = async () => {
    for (const played of queue) {
      let left: Play | undefined;
      for (const surface of played.surfaces) {
        try {
          const play = await playCase(player, file, played, surface, left);
          if (changesNothing(file, played)) left = play;
          outcomes.set(titleOf(played.name, surface), undefined);
        } catch (error) {
          outcomes.set(titleOf(played.name, surface), error);
        }
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return outcomes;
}

/** Whether the next call may use the same given records: this one reads or is refused, so it changes none. */
const changesNothing = ({ rpc }: CaseFile, { expect: { status } }: Case) =>
  status >= 400 || /\/(Get|List|Check)/.test(rpc);

const titleOf = (name: string, surface: string) => `${name} [${surface.toUpperCase()}]`;

// The first test of a file plays all of the file's cases, so that `-t` with a file's name plays that file alone.
for (const file of readCaseFiles()) {
  describe(file.file, () => {
    if ("refused" in file) {
      test("can be read", () => {
        throw file.refused;
      });
      return;
    }
    let played: Promise<Outcomes> | undefined;
    for (const { name, surfaces } of file.cases) {
      test.each(surfaces.map((surface) => titleOf(name, surface)))("%s", async (title) => {
        played ??= playFile(file);
        const outcomes = await played;
        expect(outcomes.has(title)).toBe(true);
        const failure = outcomes.get(title);
        if (failure !== undefined) throw failure;
      });
    }
  });
}

/** Cases that ask for what the system does not do: a runner that lets them pass proves nothing. */
const WRONG = `
operation: GET /workspaces/{id}
rpc: workspace.v1.WorkspaceService/GetWorkspace
cases:
  - { name: body, given: [workspace: w], request: { id: $w }, expect: { status: 200, body: { name: other } } }
  - { name: success, request: { id: $nowhere }, expect: { status: 200 } }
  - { name: failure, request: { id: $nowhere }, expect: { status: 404, error: no, code: TEAM_NOT_FOUND } }
  - { name: code, request: { id: $nowhere }, expect: { status: 404, error: workspace not found, code: WORKSPACE_NOT_FOUND, rpc: aborted } }
  - { name: log, given: [workspace: w], request: { id: $w }, expect: { status: 200 }, log: reply, events: [delete workspace success] }
  - { name: stranger, as: stranger, request: { id: $nowhere }, expect: { status: 200 } }
  - { name: field, request: { id: $nowhere, colour: red }, expect: { status: 404, error: x, code: X } }
  - { name: given, given: [{ workspace: w, as: user }], request: { id: $w }, expect: { status: 200 } }
`;

test.each([
  [
    "body",
    "rest",
    /^wrong\.yaml › body \[REST\]\n {2}body\.name: expected "other", got "w"\n {2}expected: .*\n {2}got: /,
  ],
  ["body", "rpc", /^wrong\.yaml › body \[RPC\]\n {2}body\.name: expected "other", got "w"\n/],
  ["success", "rest", /status: expected 200, got 404/],
  [
    "success",
    "rpc",
    /expected a reply, got {"rpc":"not_found","error":"workspace not found","code":"WORKSPACE_NOT_FOUND"}/,
  ],
  ["failure", "rest", /body\.error: expected "no", got "workspace not found"\n {2}body\.code: /],
  ["failure", "rpc", /failure\.code: expected "TEAM_NOT_FOUND", got "WORKSPACE_NOT_FOUND"\n {2}failure\.error: /],
  ["code", "rpc", /failure\.rpc: expected "aborted", got "not_found"/],
  ["log", "rest", /events\[0\]: expected "delete workspace success", got "create workspace success"/],
  ["stranger", "rest", /no caller is called "stranger"; there are user, teamAdmin, /],
  ["field", "rpc", /"colour" is unknown/],
  ["given", "rest", /given workspace\.v1\.WorkspaceService\/CreateWorkspace .* failed: .*PERMISSION_DENIED/],
] as const)("control: a case with a wrong %s fails by %s", async (name, surface, message) => {
  const file = parseCaseFile("wrong.yaml", WRONG);
  const wrong = file.cases.find((one) => one.name === name);
  await expect(wrong === undefined ? undefined : playCase(player, file, wrong, surface)).rejects.toThrow(message);
});
