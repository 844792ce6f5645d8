export { createDatabase, dropDatabase, type SchemaOwner, urlFor } from "./create-database.ts";
export { type FindOptions, findNatsServer } from "./find-nats-server.ts";
export { assertPortIsFree, takeFreePort } from "./free-port.ts";
export { LocalServerError, type LocalServerFault } from "./local-server-error.ts";
export { type ServerProcess, type ServerProgram, startServerProcess } from "./server-process.ts";
export { type LocalNats, type NatsOptions, startNats } from "./start-nats.ts";
export { type LocalPostgres, type PostgresOptions, startPostgres } from "./start-postgres.ts";
