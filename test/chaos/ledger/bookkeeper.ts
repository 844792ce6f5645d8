import type { Rest, RestResponse } from "../../e2e/rest.ts";
import type { Ledger, LedgerRecord, LinkKind, Outcome, RecordKind } from "./ledger.ts";

/** Makes changes by REST and records in the ledger what is certain after each response. */
export interface Bookkeeper {
  /** Returns undefined unless it was confirmed. */
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

/** `prefix` makes the names unique. */
export function createBookkeeper(ledger: Ledger, rest: Rest, prefix: string): Bookkeeper {
  let made = 0;
  const attempt = async (
    what: string,
    send: () => Promise<RestResponse>,
  ): Promise<{ outcome: Outcome; id: string }> => {
    // Any error of the client (refused, reset, truncated) means the same: no response.
    const response = await send().catch(() => undefined);
    return { outcome: ledger.note(what, response?.status), id: response?.body?.id ?? "" };
  };

  const linkPath = (workspace: LedgerRecord, resource: LedgerRecord) =>
    PATHS.workspace + "/" + workspace.id + "/" + resource.kind + "s/" + resource.id;

  const change = async (
    workspace: LedgerRecord,
    resource: LedgerRecord,
    state: "linked" | "unlinked",
    send: (path: string) => Promise<RestResponse>,
  ) => {
    const { outcome } = await attempt(state + " " + resource.kind, () => send(linkPath(workspace, resource)));
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
      const { outcome, id } = await attempt("create " + kind, () => rest.post(PATHS[kind], body));
      return outcome === "confirmed" ? ledger.addRecord({ kind, id, name, organization }) : undefined;
    },
    delete: async (record) => {
      const { outcome } = await attempt("delete " + record.kind, () =>
        rest.delete(PATHS[record.kind] + "/" + record.id),
      );
      record.state = outcome === "confirmed" ? "deleted" : "unknown";
      if (record.kind === "workspace") endLinks(ledger, record);
      return outcome === "confirmed";
    },
    assign: (workspace, resource) => change(workspace, resource, "linked", rest.post),
    unassign: (workspace, resource) => change(workspace, resource, "unlinked", rest.delete),
    select: async (workspace) => {
      const put = () => rest.put("/identity/users/preferences", { selectedWorkspace: workspace.id });
      const { outcome } = await attempt("select workspace", put);
      if (outcome === "confirmed") ledger.addSelection(workspace.id);
      return outcome === "confirmed";
    },
  };
}

/** Links of a deleted workspace are deleted with it, without a line in the log. */
function endLinks(ledger: Ledger, workspace: LedgerRecord): void {
  for (const link of ledger.linksOfWorkspace(workspace.id)) {
    if (link.state === "linked") link.state = workspace.state === "deleted" ? "unlinked" : "unknown";
  }
}
