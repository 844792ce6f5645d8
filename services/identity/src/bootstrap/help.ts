/** The output of `--help`. */
export const HELP = `Creates the first organization, its first Provider Admin, and a token of theirs, in one transaction.

  node services/identity/src/operator.ts bootstrap --organization <name> --email <address> [...]

  --organization <name>   the name of the organization
  --email <address>       of the Provider Admin, who is also its Org Admin; a user who exists is taken as they are
  --first-name <name>     of a user who is created
  --last-name <name>      likewise
  --token-file <path>     a file that contains the secret of the token: cst_ and 43 characters of base64url. Without it,
                          a secret is made and printed, once, by the run that creates the Provider Admin
  --dry-run               print what would be done, and change nothing
  --help                  print this

It may run any number of times, also at once. If the user is a Provider Admin of that organization already, nothing changes,
except that a token in the file that is not stored yet becomes a token of theirs: so it can be replaced. With another email
or name while there is a Provider Admin, it changes nothing and fails: that user creates whatever is missing.

Exit code: 0 done, or nothing to do; 1 not done; 2 wrong arguments, or an unusable file.

It reads DATABASE_URL, with the program's role, and needs no other program; the schema must be migrated. In Kubernetes see
deploy/base/bootstrap.
`;
