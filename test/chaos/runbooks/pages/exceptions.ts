import type { Exception } from "./playbook.ts";

/** The reason for all blocks that take a Postgres with its own base backup and WAL for each service. */
const reason = "test/chaos/restore plays it, as `npm run test:chaos -- --only restore,wrong-database`";

export const EXCEPTIONS: readonly Exception[] = [
  { page: "restore", fragment: "$OPERATOR_URL/readyz", reason },
  { page: "restore", fragment: '--peer "$PEER" --dry-run', reason },
  { page: "restore", fragment: "accept-installation", reason },
  { page: "restore", fragment: "rewind", reason },
  { page: "restore", fragment: "end-unknown --dry-run", reason },
  { page: "restore", fragment: "end-unknown --count", reason },
];
