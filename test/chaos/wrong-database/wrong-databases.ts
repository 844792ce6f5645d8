import { createDatabase, dropDatabase, type SchemaUrls, urlFor } from "@cloud/local-servers";
import pg from "pg";
import { SERVICES, type ServiceName, type System } from "../system/start-system.ts";

/** A database that a service is started on by mistake. */
export interface WrongDatabase {
  readonly what: string;
  /** The URLs of the program's role and of the owner. */
  readonly urls: SchemaUrls;
  /** Deletes what the service created there. */
  discard(): Promise<void>;
}

/**
 * Creates an empty database, and uses that of another service: with the other's roles, and with one that may create a
 * schema there.
 */
export async function createWrongDatabases(system: System, name: ServiceName): Promise<WrongDatabase[]> {
  const other = SERVICES[(SERVICES.indexOf(name) + 1) % SERVICES.length] as ServiceName;
  return [
    await createEmptyDatabase(system, name),
    {
      what: `that of ${other}, with its roles`,
      urls: system.serviceDatabaseUrls[other],
      discard: async () => undefined,
    },
    {
      what: `that of ${other}, with a role that may create a schema`,
      urls: { url: system.superuserUrls[other], ownerUrl: system.superuserUrls[other] },
      discard: () => dropSchema(system.superuserUrls[other], name),
    },
  ];
}

async function createEmptyDatabase(system: System, name: ServiceName): Promise<WrongDatabase> {
  const server = urlFor(system.superuserUrls[name], "postgres");
  const role = `empty_${name}`;
  const [urls] = await createDatabase(server, role, [{ role, schema: name }]);
  return { what: "an empty one", urls, discard: () => dropDatabase(server, role, [role]) };
}

async function dropSchema(url: string, schema: ServiceName): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: "drop-schema" });
  await client.connect();
  try {
    await client.query(DROP[schema]);
  } finally {
    await client.end();
  }
}

const DROP: Readonly<Record<ServiceName, string>> = {
  identity: "drop schema if exists identity cascade",
  environment: "drop schema if exists environment cascade",
  workspace: "drop schema if exists workspace cascade",
};
