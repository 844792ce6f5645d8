import { createDatabase, type SchemaUrls, urlFor } from "@cloud/local-servers";
import { createServiceDatabases } from "@cloud/local-stack";
import {
  type RestartablePostgres,
  type RestorablePostgres,
  startRestartablePostgres,
  startRestorablePostgres,
} from "@cloud/testkit/faults";
import { forEachService, type ServiceName } from "./services.ts";

type OfEach<T> = Readonly<Record<ServiceName, T>>;

export interface Databases {
  /** The one server of all services; undefined if each has its own. */
  readonly shared: RestartablePostgres | undefined;
  /** The server of each service; undefined where they share one. */
  readonly own: OfEach<RestorablePostgres> | undefined;
  readonly ports: OfEach<number>;
  /** The superuser's URL in each service's database. */
  readonly superuserUrls: OfEach<string>;
  /** The URLs of each service's own roles: the program's, with rights on rows, and the owner of the schema. */
  readonly serviceUrls: OfEach<SchemaUrls>;
}

type Owned = <T extends { stop(): Promise<void> }>(starting: Promise<T>) => Promise<T>;

const DATABASE = "cloud";

/** Starts one Postgres with a schema for each service, like `npm start`. */
export async function startSharedDatabase(owned: Owned, start = startRestartablePostgres): Promise<Databases> {
  const shared = await owned(start());
  const serviceUrls = await createServiceDatabases(shared.superuserUrl, DATABASE);
  const superuserUrl = urlFor(shared.superuserUrl, DATABASE);
  return {
    shared,
    own: undefined,
    ports: ofEach(() => shared.port),
    superuserUrls: ofEach(() => superuserUrl),
    serviceUrls,
  };
}

/** Starts a Postgres for each service, which can be restored separately. */
export async function startOwnDatabases(owned: Owned): Promise<Databases> {
  const own = await forEachService(() => owned(startRestorablePostgres()));
  const serviceUrls = await forEachService((name) => createOwnDatabase(own[name].superuserUrl, name));
  return {
    shared: undefined,
    own,
    ports: ofEach((name) => own[name].port),
    superuserUrls: ofEach((name) => urlFor(own[name].superuserUrl, DATABASE)),
    serviceUrls,
  };
}

async function createOwnDatabase(superuserUrl: string, schema: ServiceName): Promise<SchemaUrls> {
  const [urls] = await createDatabase(superuserUrl, DATABASE, [{ role: `${DATABASE}_${schema}`, schema }]);
  return urls;
}

const ofEach = <T>(make: (name: ServiceName) => T): OfEach<T> => ({
  identity: make("identity"),
  environment: make("environment"),
  workspace: make("workspace"),
});
