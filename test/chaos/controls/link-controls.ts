import type { RemovedProtection } from "@cloud/testkit";

/** What keeps links and lists in agreement with the owners of the records. */
export const linkControls = {
  /**
   * Promise 8. The consumer of a deletion deletes the existing links, and leaves no tombstone for an assignment to see.
   */
  tombstone: [
    {
      file: "services/workspace/src/links/unlink-resources.ts",
      find: "await upsertReferenceTombstones(tx, kind, ids);",
      replace: "",
    },
    {
      file: "services/identity/src/consumers/workspace-deleted.ts",
      find: "await upsertWorkspaceTombstones(tx, workspaces);",
      replace: "",
    },
  ],
  /** Promise 8. The owner of linked records includes deleted ones in lists. */
  ownersLists: [
    {
      file: "services/environment/src/environments/environment-sql.ts",
      find: "const live = sql`",
      replace: "const live = condition; void sql`",
    },
    {
      file: "services/identity/src/teams/team-sql.ts",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a source file.
      find: "const live = sql`organization_id = $1 and deleted_at is null and $1 ${isNotEnding}`;",
      replace: "const live = sql`organization_id = $1`;",
    },
  ],
  /** Promise 21. The reconciler finds references to deleted records and leaves them. */
  repairs: [
    {
      file: "packages/service/src/reconciler/reconcile.ts",
      find: "ended: await count(deleted, kind.end)",
      replace: "ended: deleted.length * 0",
    },
  ],
  /** Promise 15. The reconciler's grace period also elapses while NATS is down. */
  connectedGrace: [
    {
      file: "packages/service/src/reconciler/start-reconciler.ts",
      find: "delay(transport.isConnected() ? ms : A_DAY_MS, undefined, { signal, ref: false });",
      replace: "delay(ms, undefined, { signal: stop, ref: false }); return;",
    },
  ],
  /** Promise 18. A record unknown to its owner counts as deleted, whatever database the owner uses. */
  unknownIsNotDeleted: [
    {
      file: "packages/service/src/owners/owner.ts",
      find: 'ids.map((id) => [id, "unknown"])',
      replace: 'ids.map((id) => [id, "deleted"])',
    },
    {
      file: "packages/service/src/owners/owner.ts",
      find: "await assertKnown(installationId);",
      replace: "",
    },
  ],
  /** Promise 20. A consumer trusts a deletion event without verification. */
  verifiedDeletions: [
    {
      file: "packages/service/src/owners/deletion-effect.ts",
      find: 'return verdicts[(await owner.statesOf(kind, [id])).get(id) ?? "unknown"];',
      replace: 'return "confirmed";',
    },
  ],
  /** Promise 19. A tombstone stays, whatever its owner reports. */
  clearedTombstones: [
    {
      file: "packages/service/src/reconciler/reconcile.ts",
      find: 'live.push(...rows.filter(({ id }) => states.get(id) === "live"));',
      replace: "",
    },
  ],
} satisfies Record<string, readonly RemovedProtection[]>;
