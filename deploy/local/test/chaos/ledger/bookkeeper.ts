import type { Answer, Rest } from "../../rest.ts";
import type { Ledger, LedgerRecord, LinkKind, Outcome, RecordKind } from "./ledger.ts";

/** Asks for changes by REST and enters in the ledger what is certain after each answer. */
export interface Bookkeeper {
  /** Undefined unless it was confirmed. */
  create(kind: RecordKind, organization: string): Promise<LedgerRecord | undefined>;
  delete(record: LedgerRecord): Promise<boolean>;
  assign(workspace: LedgerRecord, resource: LedgerRecord): Promise<boolean>;
  unassign(workspace: LedgerRecord, resource: LedgerRecord): Promise<boolean>;
  select(workspace: LedgerRecord): Promise<boolean>;
}

const PATHS: Readonly<Record<RecordKind, string>> = {
  environment: "/environments",
  team: "/identity/teams",
  workspace: "/workspaces",
  organization: "/identity/organizations",
};

/** `prefix` makes the names its own. */
export function createBookkeeper(ledger: Ledger, rest: Rest, prefix: string): Bookkeeper {
  let made = 0;
  const ask = async (what: string, send: () => Promise<Answer>): Promise<{ outcome: Outcome; id: string }> => {
    // Whatever the client throws (refused, reset, half an answer) means the same: no answer.
    const answer = await send().catch(() => undefined);
    return { outcome: ledger.note(what, answer?.status), id: answer?.body?.id ?? "" };
  };

  const linkPath = (workspace: LedgerRecord, resource: LedgerRecord) =>
    PATHS.workspace + "/" + workspace.id + "/" + resource.kind + "s/" + resource.id;

  const change = async (
    workspace: LedgerRecord,
    resource: LedgerRecord,
    state: "linked" | "unlinked",
    send: (path: string) => Promise<Answer>,
  ) => {
    const { outcome } = await ask(state + " " + resource.kind, () => send(linkPath(workspace, resource)));
    const known = outcome === "confirmed";
    ledger.setLink({
      workspace: workspace.id,
      kind: resource.kind as LinkKind,
      resource: resource.id,
      state: known ? state : "unknown",
    });
    return known;
  };

  return {
    create: async (kind, organization) => {
      const name = prefix + "-" + kind + "-" + ++made;
      const body = kind === "organization" ? { name } : { name, organizationId: organization };
      const { outcome, id } = await ask("create " + kind, () => rest.post(PATHS[kind], body));
      return outcome === "confirmed" ? ledger.addRecord({ kind, id, name, organization }) : undefined;
    },
    delete: async (record) => {
      const { outcome } = await ask("delete " + record.kind, () => rest.delete(PATHS[record.kind] + "/" + record.id));
      record.state = outcome === "confirmed" ? "gone" : "unknown";
      if (record.kind === "workspace") endLinks(ledger, record);
      return outcome === "confirmed";
    },
    assign: (workspace, resource) => change(workspace, resource, "linked", rest.post),
    unassign: (workspace, resource) => change(workspace, resource, "unlinked", rest.delete),
    select: async (workspace) => {
      const put = () => rest.put("/identity/users/preferences", { selectedWorkspace: workspace.id });
      const { outcome } = await ask("select workspace", put);
      if (outcome === "confirmed") ledger.addSelection(workspace.id);
      return outcome === "confirmed";
    },
  };
}

/** The links of a deleted workspace end with it, without a line in the log. */
function endLinks(ledger: Ledger, workspace: LedgerRecord): void {
  for (const link of ledger.linksOfWorkspace(workspace.id)) {
    if (link.state === "linked") link.state = workspace.state === "gone" ? "unlinked" : "unknown";
  }
}
