import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";

const PROGRAM = fileURLToPath(new URL("ending-connection/program.ts", import.meta.url));

interface Ended {
  readonly said: string;
  readonly killed: string | undefined;
  readonly trouble: string;
}

/** A process of its own, since some of these end or occupy it. */
function endAConnection(moment: string, manager: "ours" | "connect-node"): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(process.execPath, [PROGRAM, moment, manager], (error, said, stderr) => {
      resolve({ said, killed: error?.signal ?? undefined, trouble: /PING timed out/.exec(stderr)?.[0] ?? "" });
    });
  });
}

const fine = { killed: undefined, trouble: "" };

// "connect-node" is the control of each: should one be answered as well, its part of PeerSessions can go.
test.each([
  {
    moment: "idle",
    what: "a call that verifies an idle connection is answered; connect-node: its process stands still",
    ours: { ...fine, said: "answered, answered" },
    theirs: { ...fine, said: "", killed: "SIGKILL" },
  },
  {
    moment: "verified",
    what: "so is one that comes when a verification has failed; connect-node: it has no answer",
    ours: { ...fine, said: "answered, answered" },
    theirs: { ...fine, said: "answered, no answer" },
  },
  {
    moment: "open",
    what: "and one that comes when a connection with calls on it is given up; connect-node: the process ends",
    ours: { ...fine, said: "failed, answered" },
    theirs: { ...fine, said: "", trouble: "PING timed out" },
  },
])(
  "$moment: $what",
  async ({ moment, ours, theirs }) => {
    expect(await endAConnection(moment, "ours")).toEqual(ours);
    expect(await endAConnection(moment, "connect-node")).toEqual(theirs);
  },
  60_000,
);
