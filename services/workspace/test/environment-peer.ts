import { newId, type OrganizationId } from "@cloud/access/values";
import { RecordKind } from "@cloud/proto/cloud/api/v1/record_state_service_pb";
import { DirectoryService } from "@cloud/proto/environment/v1/directory_service_pb";
import {
  createRecordOwner,
  type OwnedRecord,
  type Peer,
  type RecordOwner,
  recordsAmong,
  selectRecords,
  startPeer,
} from "@cloud/service/testing";

interface Environment extends OwnedRecord {
  readonly platformProvisioned: boolean;
  /** The connections that it is linked to. */
  readonly connections: readonly string[];
}

/** The environment service as the workspace service sees it. */
export interface EnvironmentPeer extends Peer, RecordOwner {
  /** Adds a live environment and returns its id. */
  addEnvironment(organizationId: OrganizationId, more?: Partial<Omit<Environment, keyof OwnedRecord>>): string;
}

/** Starts a real server that implements the calls of the workspace service to the environment service. */
export async function startEnvironmentPeer(): Promise<EnvironmentPeer> {
  const environments = new Map<string, Environment>();
  const owner = createRecordOwner({ [RecordKind.ENVIRONMENT]: environments });
  const peer = await startPeer({
    owner,
    services: [DirectoryService],
    routes: (router) => {
      router.service(DirectoryService, {
        batchGetEnvironments: ({ ids }) => ({ environments: recordsAmong(environments, ids) }),
        selectEnvironments: (request) => {
          const { records, ...page } = selectRecords(environments, request);
          return { ...page, environments: records };
        },
        listConnectionEnvironments: ({ connectionId }) => ({
          environmentIds: [...environments.values()]
            .filter(({ connections }) => connections.includes(connectionId))
            .map(({ id }) => id),
        }),
      });
    },
  });
  return {
    ...peer,
    ...owner,
    addEnvironment: (organizationId, { platformProvisioned = false, connections = [] } = {}) => {
      const id = newId();
      environments.set(id, { id, organizationId, platformProvisioned, connections });
      return id;
    },
  };
}
