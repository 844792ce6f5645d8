/** Where a node's files and ports are. */
export interface Place {
  readonly port: number;
  readonly restPort: number;
  readonly folder: string;
  readonly cluster: string;
  readonly postgresFolder: string;
}

export interface NodeOptions {
  readonly name: string;
  /** The address of etcd. */
  readonly etcd: string;
  /** The password for the superuser and for replication. */
  readonly password: string;
  /** Whether a commit waits until the standby has it. */
  readonly synchronous: boolean;
}

const HOST = "127.0.0.1";

/**
 * Returns a node's configuration file. The lease of the leader is the shortest that Patroni permits, 20 s. A Postgres
 * that crashed is replaced at once instead of restarted.
 */
export function patroniSettings(options: NodeOptions, place: Place): object {
  const { name, etcd, password, synchronous } = options;
  const { port, restPort, folder, cluster, postgresFolder } = place;
  const restAddress = `${HOST}:${restPort}`;
  const address = `${HOST}:${port}`;
  return {
    scope: "cloud",
    name,
    etcd3: { host: etcd },
    restapi: { listen: restAddress, connect_address: restAddress },
    bootstrap: {
      dcs: {
        ttl: 20,
        loop_wait: 1,
        retry_timeout: 3,
        maximum_lag_on_failover: 1_048_576,
        primary_start_timeout: 0,
        synchronous_mode: synchronous,
        postgresql: {
          use_pg_rewind: true,
          parameters: { max_connections: 200, wal_keep_size: "256MB", wal_receiver_status_interval: "1s" },
        },
      },
      initdb: [{ encoding: "UTF8" }, { locale: "C.UTF-8" }, "data-checksums"],
    },
    postgresql: {
      listen: address,
      connect_address: address,
      data_dir: cluster,
      bin_dir: postgresFolder,
      pgpass: `${folder}/pgpass`,
      authentication: {
        superuser: { username: "postgres", password },
        replication: { username: "replicator", password },
      },
      parameters: { unix_socket_directories: folder },
      pg_hba: [`host all all ${HOST}/32 scram-sha-256`, `host replication replicator ${HOST}/32 scram-sha-256`],
    },
  };
}
