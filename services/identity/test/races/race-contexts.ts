import { DirectoryService as WorkspaceDirectory } from "@cloud/proto/workspace/v1/directory_service_pb";
import { plainCall } from "@cloud/service/testing";
import { openRaceDatabase, rewritingTransactions } from "@cloud/service/testing/races";
import type { Rewrite } from "@cloud/testkit/races";
import { createClient, createRouterTransport } from "@connectrpc/connect";
import type { Context } from "../../src/context.ts";
import type { Fixture } from "../fixture.ts";

/** Contexts of handlers, on one pool that is as wide as the races. */
export interface RaceContexts {
  /** Returns a context; a control changes the statements of its transactions. */
  contextWith(rewrite?: Rewrite): Context;
  close(): Promise<void>;
}

/** Opens a pool for races on the fixture's database. The handlers that race never call the workspace service. */
export function openRaceContexts(fixture: Fixture): RaceContexts {
  const db = openRaceDatabase(fixture.db);
  const workspace = createClient(
    WorkspaceDirectory,
    createRouterTransport(() => undefined),
  );
  return {
    contextWith: (rewrite = (text) => text) => ({
      ...plainCall(db),
      db: rewritingTransactions(db, rewrite),
      workspace,
      maxPendingInvitations: 1_000,
    }),
    close: () => db.close(),
  };
}
