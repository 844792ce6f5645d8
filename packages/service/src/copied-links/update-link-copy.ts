import { fail, type OrganizationId } from "@cloud/contract";
import type { Database, Tx } from "@cloud/postgres";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { LinkChanges } from "@cloud/proto/cloud/api/v1/workspace_links_pb";
import {
  changeLinkCopy,
  deleteOtherCopiedLinks,
  insertCopiedLinks,
  type LinkCopyRow,
  lockCopiesOf,
  type RecordTable,
  recountLinkCopy,
  selectLinkCopy,
  touchLinkCopy,
  upsertLinkCopy,
} from "./link-copy-sql.ts";
import { BYTES_OF_ID, type LinkState, type WorkspaceLinks } from "./workspace-links.ts";

/**
 * Returns once the copy of a workspace's links contains them as they are in `links`, or as they were later. A copy is
 * compared by the count and the hash of its links, never by its position: after a restore of either database, the same
 * position may stand for other links.
 *
 * @throws LINKS_OUTDATED with the position of the copy: the caller lacks changes, or another call has made some.
 */
export async function updateLinkCopy(
  db: Database,
  records: RecordTable,
  organizationId: OrganizationId,
  links: WorkspaceLinks,
): Promise<void> {
  const { workspaceId, changes } = links;
  if (changes === undefined) {
    const copy = await selectLinkCopy(db, workspaceId);
    if (copy === undefined || !isCopyOf(copy, links)) throw outdated(copy);
    if (copy.is_unused && !(await touchLinkCopy(db, workspaceId))) throw outdated(undefined);
    return;
  }
  const target = { records, organizationId, links, since: changes.since };
  await (changes.all ? replaceLinks(db, target, changes.linked) : changeLinks(db, target, changes));
}

interface Target {
  readonly records: RecordTable;
  readonly organizationId: OrganizationId;
  readonly links: WorkspaceLinks;
  readonly since: string;
}

async function changeLinks(db: Database, target: Target, changes: LinkChanges): Promise<void> {
  const { records, organizationId, links } = target;
  await db.withTransaction(async (tx) => {
    const before = await lockOutdatedCopy(tx, target);
    if (before === undefined) return;
    const after = await changeLinkCopy(tx, records, organizationId, links, changes);
    // The copy was not what its position says: the caller sends all links.
    if (!isCopyOf(after, links)) throw outdated(before, { needs: "all" });
  });
}

/** The links of one transaction, which deletions of the organization's records wait for: 0.1 s. */
const PART = 20_000;

/**
 * Copies all links, part by part: each remains, so that a call that has no time for all of them leaves less to the next
 * one. The copy is current with the last step only.
 */
async function replaceLinks(db: Database, target: Target, all: Uint8Array): Promise<void> {
  const { records, organizationId, links } = target;
  for (let at = 0; at < all.length; at += PART * BYTES_OF_ID) {
    const isCurrent = await db.withTransaction(async (tx) => {
      if ((await lockOutdatedCopy(tx, target)) === undefined) return true;
      await insertCopiedLinks(tx, links.workspaceId, all.subarray(at, at + PART * BYTES_OF_ID));
      return false;
    });
    if (isCurrent) return;
  }
  await db.withTransaction(async (tx) => {
    const before = await lockOutdatedCopy(tx, target);
    if (before === undefined) return;
    await deleteOtherCopiedLinks(tx, links.workspaceId, all);
    const after = await recountLinkCopy(tx, records, organizationId, links);
    if (!isCopyOf(after, links)) throw outdated(before, { needs: "all" });
  });
}

/**
 * Locks the copy until `tx` ends, and returns it; undefined if it is current. Of concurrent calls one changes it: the
 * changes of the others are since another position, may be older, and would undo newer ones. @throws LINKS_OUTDATED
 */
async function lockOutdatedCopy(tx: Tx, { organizationId, links, since }: Target): Promise<LinkCopyRow | undefined> {
  lockCopiesOf(tx, organizationId);
  const copy = await upsertLinkCopy(tx, links.workspaceId, organizationId);
  if (isCopyOf(copy, links)) return undefined;
  if (copy.position !== since) throw outdated(copy);
  return copy;
}

const isCopyOf = (copy: LinkCopyRow, { count, hash }: LinkState) => BigInt(copy.links) === count && copy.hash === hash;

function outdated(copy: LinkCopyRow | undefined, more: { readonly needs?: "all" } = {}) {
  return fail(Reason.LINKS_OUTDATED, { position: copy?.position ?? "", ...more });
}
