import type { EnvironmentId } from "@cloud/access/values";
import type { ConnectionId } from "../../src/ids.ts";
import type { Fixture } from "../fixture.ts";
import { newConnection, newEnvironment } from "../records.ts";

/** Creates both ends of a link in the fixture's organization. */
export async function newPair(fixture: Fixture) {
  const { home } = fixture.identity;
  return {
    id: (await newEnvironment(fixture, home)).id as EnvironmentId,
    connectionId: (await newConnection(fixture, home)).id as ConnectionId,
  };
}
