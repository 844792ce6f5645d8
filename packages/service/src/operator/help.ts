/** Returns the output of `--help`. */
export function helpOf(name: string, peerUrls: readonly string[]): string {
  const peers = peerUrls.map((variable) => variable.replace(/_URL$/, "").toLowerCase()).join(" or ");
  return `Commands of the ${name} service for operators; see docs/runbooks/restore.md and docs/settings.md.

  node services/${name}/src/operator.ts <command>

  end-unknown --dry-run                       list what refers to records that their owners do not know
  end-unknown --count <n>                     end it, for good, when exactly so many are listed
  accept-installation --peer <p> --dry-run    show which database a peer (${peers}) answers from
  accept-installation --peer <p>              act upon the answers of that database from now on
  purge --dry-run                             count the rows that are older than LOG_DAYS and OUTBOX_DAYS say
  purge                                       delete them now, in batches, as the service does every hour
  check-counts                                compare the counts of all lists with their rows
  check-counts --repair                       correct those that are wrong
  --help                                      print this

It reads the environment variables of the service itself, those of TLS to its peers too. The program's role (DATABASE_URL) has all the rights that it
needs; the owner of the schema is for migrations only. In Kubernetes:

  kubectl exec deploy/${name} -- node operator.mjs end-unknown --dry-run`;
}
