/** Returns the output of `--help`. */
export function helpOf(name: string, peerUrls: readonly string[]): string {
  const peers = peerUrls.map((variable) => variable.replace(/_URL$/, "").toLowerCase()).join(" or ");
  return `Commands of the ${name} service for operators; docs/runbooks says when to use which.

  node services/${name}/src/ops.ts <command>

  replay --dry-run                            list the parked messages that were not replayed yet
  replay [--id <id>]                          publish them, or the one of this id, again, to this service only
  rewind --dry-run                            count the events that the service would receive again
  rewind                                      receive all events of the stream again; those that were applied are skipped
  reconcile --dry-run                         compare all references with the owners of their records
  reconcile                                   repair what differs, now, as the service does every 5 minutes
  migrate --dry-run                           list the migrations that the schema lacks
  migrate                                     apply them, as MIGRATION_DATABASE_URL
  bootstrap --help                            create the first organization, user and token, which identity does
  end-unknown --dry-run                       list what refers to records that their owners do not know
  end-unknown --count <n>                     end it, for good, when exactly so many are listed
  accept-installation --peer <p> --dry-run    show which database a peer (${peers}) answers from
  accept-installation --peer <p>              act upon the answers of that database from now on
  purge --dry-run                             count the rows that are older than LOG_DAYS and OUTBOX_DAYS say
  purge                                       delete them now, in batches, as the service does every hour
  check-counts                                compare the counts of all lists with their rows
  check-counts --repair                       correct those that are wrong
  --help                                      print this

They read the environment variables of the service itself. The program's role (DATABASE_URL) has all the rights that they
need; only migrate connects as the owner of the schema. Exit codes: 0 done, 1 not done, 2 wrong usage. In Kubernetes:

  kubectl exec deploy/${name} -- node ops.mjs replay --dry-run`;
}
