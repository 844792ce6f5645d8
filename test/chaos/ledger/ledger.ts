/** The responses that a run's clients received: records and links, each with what is certain of it. */
export type RecordKind = "environment" | "team" | "workspace" | "organization";
export type LinkKind = "environment" | "team";

export interface LedgerRecord {
  readonly kind: RecordKind;
  readonly id: string;
  readonly name: string;
  /** Empty for an organization. */
  readonly organization: string;
  /** `unknown` after a deletion without a response: the database shows whether it happened. */
  state: "live" | "deleted" | "unknown";
}

export interface LedgerLink {
  readonly workspace: string;
  readonly kind: LinkKind;
  readonly resource: string;
  /** `unknown` after a change without a response; such a pair is not changed again. */
  state: "linked" | "unlinked" | "unknown";
}

export interface Ledger {
  readonly records: ReadonlyMap<string, LedgerRecord>;
  readonly links: ReadonlyMap<string, LedgerLink>;
  /** Workspaces selected by any user. */
  readonly selections: ReadonlySet<string>;
  /** Number of 2xx responses to changes. */
  confirmed(): number;
  /** Requests with an unknown outcome: 5xx or no response. By status, or `no answer`. */
  unknown(): Readonly<Record<string, number>>;
  /** Responses that a correct system never gives, such as 404 for a record confirmed before. */
  readonly wrong: readonly string[];
  note(what: string, status: number | undefined): Outcome;
  addRecord(record: Omit<LedgerRecord, "state">): LedgerRecord;
  setLink(link: LedgerLink): void;
  addSelection(workspace: string): void;
  linksOfWorkspace(workspace: string): LedgerLink[];
}

export type Outcome = "confirmed" | "unknown" | "wrong";

export const linkKey = (workspace: string, kind: string, resource: string) => [workspace, kind, resource].join(" ");

export function createLedger(): Ledger {
  const records = new Map<string, LedgerRecord>();
  const links = new Map<string, LedgerLink>();
  const selections = new Set<string>();
  const unknown: Record<string, number> = {};
  const wrong: string[] = [];
  let confirmed = 0;
  return {
    records,
    links,
    selections,
    wrong,
    confirmed: () => confirmed,
    unknown: () => unknown,
    note: (what, status) => {
      if (status !== undefined && status >= 200 && status < 300) {
        confirmed++;
        return "confirmed";
      }
      // Unavailability and a deadline are the only failures on the way that may be reported like this.
      if (status === undefined || status === 503 || status === 504) {
        const key = String(status ?? "no answer");
        unknown[key] = (unknown[key] ?? 0) + 1;
        return "unknown";
      }
      wrong.push(what + ": " + status);
      return "wrong";
    },
    addRecord: (record) => {
      const added: LedgerRecord = { ...record, state: "live" };
      records.set(record.id, added);
      return added;
    },
    setLink: (link) => void links.set(linkKey(link.workspace, link.kind, link.resource), link),
    addSelection: (workspace) => void selections.add(workspace),
    linksOfWorkspace: (workspace) => [...links.values()].filter((link) => link.workspace === workspace),
  };
}
