import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";

const PROGRAM = fileURLToPath(new URL("ending-connection/program.ts", import.meta.url));

interface Ended {
  readonly printed: string;
  readonly killed: string | undefined;
  readonly trouble: string;
}

/** Uses a separate process, since some of these end or block it. */
function endAConnection(moment: string, manager: "ours" | "connect-node"): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(process.execPath, [PROGRAM, moment, manager], (error, printed, stderr) => {
      resolve({ printed, killed: error?.signal ?? undefined, trouble: /PING timed out/.exec(stderr)?.[0] ?? "" });
    });
  });
}

const fine = { killed: undefined, trouble: "" };

// "connect-node" is the control of each: if it returns "answered" too, that part of PeerSessions can be deleted.
test.each([
  {
    moment: "idle",
    what: "a call that verifies an idle connection is answered; connect-node: its process freezes",
    ours: { ...fine, printed: Array(8).fill("answered").join(", ") },
    theirs: { ...fine, printed: "", killed: "SIGKILL" },
  },
  {
    moment: "verified",
    what: "a call made after a verification has failed is answered; connect-node: it never resolves",
    ours: { ...fine, printed: "answered, answered" },
    theirs: { ...fine, printed: "answered, no answer" },
  },
  {
    moment: "open",
    what: "a call made when a connection with calls on it is given up is answered; connect-node: the process exits",
    ours: { ...fine, printed: "failed, answered" },
    theirs: { ...fine, printed: "", trouble: "PING timed out" },
  },
  {
    moment: "late",
    what: "a call whose reply this process is late to read is answered; connect-node: its session ends",
    ours: { ...fine, printed: "answered" },
    theirs: { ...fine, printed: "failed", trouble: "PING timed out" },
  },
])(
  "$moment: $what",
  async ({ moment, ours, theirs }) => {
    expect(await endAConnection(moment, "ours")).toEqual(ours);
    expect(await endAConnection(moment, "connect-node")).toEqual(theirs);
  },
  60_000,
);
