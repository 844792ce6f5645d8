import { DirectoryService } from "@cloud/proto/identity/v1/directory_service_pb";
import { plainCall } from "@cloud/service/testing";
import { openRaceDatabase, rewritingTransactions } from "@cloud/service/testing/races";
import type { Rewrite } from "@cloud/testkit/races";
import { createClient, createRouterTransport } from "@connectrpc/connect";
import type { Context } from "../../src/context.ts";
import { selectEnvironment } from "../../src/environments/sql.ts";
import type { Fixture } from "../fixture.ts";

/** Contexts of handlers, on one pool. */
export interface RaceContexts {
  readonly plain: Context;
  /** Returns the plain context with the statements of its transactions changed. */
  contextWith(rewrite: Rewrite): Context;
  close(): Promise<void>;
}

/** Opens a pool as wide as the races on the fixture's database. */
export function openRaceContexts(fixture: Fixture): RaceContexts {
  const db = openRaceDatabase(fixture.db);
  // The handlers of links never call identity.
  const transport = createRouterTransport(() => undefined);
  const plain = {
    ...plainCall(db),
    db,
    selectEnvironment: selectEnvironment(db),
    identity: createClient(DirectoryService, transport),
  };
  return {
    plain,
    contextWith: (rewrite) => ({ ...plain, db: rewritingTransactions(db, rewrite) }),
    close: () => db.close(),
  };
}
