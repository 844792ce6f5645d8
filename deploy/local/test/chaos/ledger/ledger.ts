/** What the clients of a run were told: records and links, each with what is certain of it. */
export type RecordKind = "environment" | "team" | "workspace" | "organization";
export type LinkKind = "environment" | "team";

export interface LedgerRecord {
  readonly kind: RecordKind;
  readonly id: string;
  readonly name: string;
  /** Empty for an organization. */
  readonly organization: string;
  /** `unknown` once a deletion was asked for that was not answered: the database tells whether it happened. */
  state: "live" | "gone" | "unknown";
}

export interface LedgerLink {
  readonly workspace: string;
  readonly kind: LinkKind;
  readonly resource: string;
  /** `unknown` once something was asked for that was not answered; nothing more is asked for such a pair. */
  state: "linked" | "unlinked" | "unknown";
}

export interface Ledger {
  readonly records: ReadonlyMap<string, LedgerRecord>;
  readonly links: ReadonlyMap<string, LedgerLink>;
  /** Workspaces that somebody selected. */
  readonly selections: ReadonlySet<string>;
  /** Answers of 2xx to what changes something. */
  confirmed(): number;
  /** Requests that changed something or not: answered with 5xx, or not at all. By status, or `no answer`. */
  unknown(): Readonly<Record<string, number>>;
  /** Answers that no correct system gives, such as 404 for what was confirmed before. */
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
      // Of all that may go wrong on the way, only what was not there in time is told so.
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
