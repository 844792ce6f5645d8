export { createDatabase, dropDatabase, type SchemaRole, type SchemaUrls, urlFor } from "./create-database.ts";
export { type FindOptions, findNatsServer, findProgram } from "./find-nats-server.ts";
export { assertPortIsFree, takeStablePort } from "./free-port.ts";
export { createInProcessTransport } from "./in-process-transport.ts";
export {
  LocalServerError,
  type LocalServerFault,
  type ServerProcess,
  type ServerProgram,
  type SystemUser,
  startServerProcess,
} from "./server-process.ts";
export {
  createNatsUsers,
  type LocalNats,
  type NatsOptions,
  type NatsUsers,
  startNats,
  stopLeftoverNats,
} from "./start-nats.ts";
export {
  clusterFolderOf,
  type LocalPostgres,
  type PostgresOptions,
  startPostgres,
  stopLeftoverPostgres,
} from "./start-postgres.ts";
export { type SupervisedServer, type SuperviseOptions, supervise, type WatchedServer } from "./supervise.ts";
export { unprivilegedUser } from "./system-user.ts";
export { type DebianPackages, type UnpackedPackages, unpackDebian } from "./unpack-debian.ts";
