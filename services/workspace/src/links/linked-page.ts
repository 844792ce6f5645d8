import { create } from "@bufbuild/protobuf";
import { metadataOf, reasonOf, type WorkspaceId } from "@cloud/contract";
import type { Sql } from "@cloud/postgres";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import {
  type LinkChanges,
  LinkChangesSchema,
  type WorkspaceLinks,
  WorkspaceLinksSchema,
} from "@cloud/proto/cloud/api/v1/workspace_links_pb";
import { selectAllLinks, selectLinkChanges, selectLinkedIds } from "./link-change-sql.ts";
import { parseLinkState, parsePosition } from "./link-state.ts";
import type { LinkedWorkspaceRow } from "./linked-workspace-sql.ts";
import type { ReferenceKind } from "./reference-sql.ts";

/** What a list of a workspace passes on to the owner of the records. */
interface LinkedQuery {
  readonly assigned: boolean;
  readonly search: string;
  readonly order: string;
  readonly page: bigint;
  readonly pageSize: bigint;
}

interface OfOrganization extends LinkedQuery {
  readonly organizationId: string;
}

/** The calls of `peerPages` for one kind of record. */
interface OwnerPages<Reply> {
  readonly kind: ReferenceKind;
  readonly ofIds: (request: OfOrganization & { ids: string[] }) => Promise<Reply>;
  readonly ofCopy: (request: OfOrganization & { links: WorkspaceLinks }) => Promise<Reply>;
}

/** The first call assumes that the owner's copy is current; more are needed after changes, and if other lists race. */
const MOST_CALLS = 6;

/**
 * Returns a page of the records that are linked to the workspace, or of the others, from the service that owns them. It
 * gets the ids of up to 1,000 links, and has a copy of more, which the call brings up to date: so what either service
 * has confirmed is visible at once (docs/adr/0022-copies-of-links.md).
 */
export async function selectLinkedPage<Reply>(
  db: Sql,
  { kind, ofIds, ofCopy }: OwnerPages<Reply>,
  { id, organization_id: organizationId, link_state: state, resource_ids: ids }: LinkedWorkspaceRow,
  query: LinkedQuery,
): Promise<Reply> {
  if (ids !== null) return await ofIds({ organizationId, ids: idsIn(ids), ...query });

  let links = linksOf(id, state);
  for (let call = 1; call <= MOST_CALLS; call++) {
    try {
      return await ofCopy({ organizationId, links, ...query });
    } catch (error) {
      const reason = reasonOf(error);
      // The owner is of the release before.
      if (reason === Reason.UNIMPLEMENTED) break;
      if (reason !== Reason.LINKS_OUTDATED) throw error;
      const { position = "", needs } = metadataOf(error);
      // All links have not made the copy right: the counts of this service are wrong.
      if (needs === "all" && links.changes?.all === true) break;
      links = await readChanges(db, id, kind, { position, needsAll: needs === "all" });
    }
  }
  return await ofIds({ organizationId, ids: idsIn(await selectLinkedIds(db, id, kind)), ...query });
}

const idsIn = (text: string) => (text === "" ? [] : text.split(","));

function linksOf(workspaceId: WorkspaceId, state: string | null, changes?: LinkChanges): WorkspaceLinks {
  const links = create(WorkspaceLinksSchema, { workspaceId, ...parseLinkState(state) });
  return changes === undefined ? links : { ...links, changes };
}

/** Reads the links as they are now, and what the owner's copy lacks. */
async function readChanges(
  db: Sql,
  id: WorkspaceId,
  kind: ReferenceKind,
  copy: { readonly position: string; readonly needsAll: boolean },
): Promise<WorkspaceLinks> {
  const since = copy.needsAll ? undefined : parsePosition(copy.position);
  const changes = since === undefined ? undefined : await selectLinkChanges(db, id, kind, since);
  const { link_state: state, linked, unlinked } = changes ?? (await selectAllLinks(db, id, kind));
  const all = changes === undefined;
  return linksOf(id, state, create(LinkChangesSchema, { since: copy.position, all, linked, unlinked }));
}
