import { ConnectionService } from "@cloud/proto/environment/v1/connection_service_pb";
import { CredentialService } from "@cloud/proto/environment/v1/credential_service_pb";
import { DirectoryService } from "@cloud/proto/environment/v1/directory_service_pb";
import { EnvironmentService } from "@cloud/proto/environment/v1/environment_service_pb";
import { bindHandlers, type CallContext } from "@cloud/service";
import type { ConnectRouter } from "@connectrpc/connect";
import { assignConnection } from "./assignments/assign-connection.ts";
import { listEnvironmentConnections } from "./assignments/list-environment-connections.ts";
import { removeConnection } from "./assignments/remove-connection.ts";
import { createConnection } from "./connections/create-connection.ts";
import { deleteConnection } from "./connections/delete-connection.ts";
import { getConnection } from "./connections/get-connection.ts";
import { listConnections } from "./connections/list-connections.ts";
import { updateConnection } from "./connections/update-connection.ts";
import type { Context } from "./context.ts";
import { createCredential } from "./credentials/create-credential.ts";
import { deleteCredential } from "./credentials/delete-credential.ts";
import { getCredential } from "./credentials/get-credential.ts";
import { listCredentials } from "./credentials/list-credentials.ts";
import {
  batchGetEnvironments,
  listConnectionEnvironments,
  selectEnvironments,
  selectEnvironmentsAmong,
} from "./directory.ts";
import { createEnvironment } from "./environments/create-environment.ts";
import { deleteEnvironment } from "./environments/delete-environment.ts";
import { getEnvironment } from "./environments/get-environment.ts";
import { listEnvironments } from "./environments/list-environments.ts";
import { provisionEnvironment } from "./environments/provision-environment.ts";
import { updateEnvironment } from "./environments/update-environment.ts";

/** The services that `registerRoutes` registers, for reflection and health. */
export const services = [EnvironmentService, ConnectionService, CredentialService, DirectoryService];

/** Registers the handler of each RPC of environment.v1. */
export function registerRoutes(router: ConnectRouter, context: Omit<Context, keyof CallContext>): void {
  const handle = bindHandlers<Context>(context);

  router.service(EnvironmentService, {
    createEnvironment: handle(createEnvironment),
    listEnvironments: handle(listEnvironments),
    getEnvironment: handle(getEnvironment),
    updateEnvironment: handle(updateEnvironment),
    deleteEnvironment: handle(deleteEnvironment),
    assignConnection: handle(assignConnection),
    removeConnection: handle(removeConnection),
    listEnvironmentConnections: handle(listEnvironmentConnections),
    provisionEnvironment: handle(provisionEnvironment),
  });
  router.service(ConnectionService, {
    createConnection: handle(createConnection),
    getConnection: handle(getConnection),
    listConnections: handle(listConnections),
    updateConnection: handle(updateConnection),
    deleteConnection: handle(deleteConnection),
  });
  router.service(CredentialService, {
    createCredential: handle(createCredential),
    getCredential: handle(getCredential),
    listCredentials: handle(listCredentials),
    deleteCredential: handle(deleteCredential),
  });
  router.service(DirectoryService, {
    batchGetEnvironments: handle(batchGetEnvironments),
    selectEnvironments: handle(selectEnvironments),
    selectEnvironmentsAmong: handle(selectEnvironmentsAmong),
    listConnectionEnvironments: handle(listConnectionEnvironments),
  });
}
