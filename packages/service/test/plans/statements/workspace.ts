import { within } from "@cloud/testkit";
import * as access from "../../../../../services/workspace/src/access/sql.ts";
import * as logs from "../../../../../services/workspace/src/activity/cursor-sql.ts";
import * as activity from "../../../../../services/workspace/src/activity/sql.ts";
import * as library from "../../../../../services/workspace/src/library/pages-sql.ts";
import { designs } from "../../../../../services/workspace/src/library/sql.ts";
import { selectLinkedWorkspace } from "../../../../../services/workspace/src/links/linked-workspace-sql.ts";
import * as assignments from "../../../../../services/workspace/src/links/sql.ts";
import * as workspaces from "../../../../../services/workspace/src/workspaces/sql.ts";
import { purgedInbox, purgedOutbox } from "../../../../events/src/append-event.ts";
import { selectIsReceived } from "../../../../events/src/consumer/inbox-sql.ts";
import {
  claimEvents,
  markPublished,
  selectBacklog,
  unpublishLostEvents,
} from "../../../../events/src/relay/outbox-sql.ts";
import { idOf } from "../seeds.ts";
import { byDate, readUpTo } from "./parameters.ts";
import type { PlannedStatement } from "./planned-statement.ts";

const lostStream = { createdAt: "2026", lastSequence: 30_000 };

const cursor = { createdAt: new Date(), id: idOf<never>(7) };

export const workspaceStatements: readonly PlannedStatement[] = [
  ["selectWorkspace", (tx) => workspaces.selectWorkspace(tx)(idOf(7)), "workspaces_pkey"],
  [
    "selectWorkspacesOf",
    (tx) => workspaces.selectWorkspacesOf(tx, [idOf(7)], byDate),
    "live_counts_pkey",
    "workspaces_by_created_at",
  ],
  ["countLiveWorkspaces", (tx) => workspaces.countLiveWorkspaces(tx, idOf(7)), "workspaces_by_created_at"],
  [
    "selectItemsOf",
    (tx) => library.selectItemsOf(tx, designs, [idOf(7)], { ...byDate, visibility: [] }),
    "designs_by_created_at",
    "live_counts_pkey",
  ],
  [
    "selectTeamsReachWorkspace",
    (tx) => access.selectTeamsReachWorkspace(tx, [idOf(7)], idOf(7)),
    "assignments_by_resource or assignments_pair", // either finds the one row; Postgres 15 and 16 take the second
    "workspaces_pkey",
  ],
  [
    "selectTeamsReachResources",
    (tx) => access.selectTeamsReachResources(tx, [idOf(7)], "design", [idOf(7)]),
    "assignments_by_resource",
    "assignments_pair",
    "workspaces_pkey",
  ],
  ["selectLinkedWorkspace", (tx) => selectLinkedWorkspace(tx).team(idOf(7)), "assignments_pair", "workspaces_pkey"],
  ["deleteAssignment", (tx) => assignments.deleteAssignment(tx, idOf(7), "team", idOf(7)), "assignments_by_resource"],
  [
    "deleteLinksOfResources",
    (tx) => assignments.deleteLinksOfResources(tx, "team", [idOf(7)]),
    "assignments_by_resource",
    "workspaces_pkey",
  ],
  [
    "selectActivities",
    (tx) => activity.selectActivities(tx, idOf(7), byDate),
    "activity_events_by_workspace",
    "live_counts_pkey",
  ],
  [
    "workspaceLog, newest first",
    (tx) => logs.workspaceLog.newestFirst(tx, idOf(7), cursor, 26),
    "activity_events_by_workspace",
  ],
  [
    "workspaceLog, oldest first",
    (tx) => logs.workspaceLog.oldestFirst(tx, idOf(7), readUpTo, 26),
    "activity_events_by_workspace",
    "activity_events_by_xact",
  ],
  [
    "organizationLog, oldest first",
    (tx) => logs.organizationLog.oldestFirst(tx, idOf(7), readUpTo, 26),
    "activity_events_by_organization",
    "activity_events_by_xact",
  ],
  ["countActivities", (tx) => logs.countActivities(tx, idOf(7)), "live_counts_pkey"],
  [
    "organizationLog, newest first",
    (tx) => logs.organizationLog.newestFirst(tx, idOf(7), cursor, 26),
    "activity_events_by_organization",
  ],
  [
    "selectWorkspacesUnlinkedAt",
    (tx) => activity.selectWorkspacesUnlinkedAt(tx, idOf(7), new Date(0)),
    "activity_events_by_deleted_resource",
  ],
  ["claimEvents", (tx) => claimEvents(within(tx), 100), "outbox_pkey", "outbox_unpublished"],
  ["markPublished", (tx) => markPublished(within(tx), "2026", [{ id: idOf(7), sequence: 7 }]), "outbox_pkey"],
  ["selectBacklog", (tx) => selectBacklog(tx), "outbox_unpublished"],
  [
    "unpublishLostEvents",
    (tx) => unpublishLostEvents(within(tx), lostStream, "0"),
    "outbox_pkey",
    "outbox_published_in",
  ],
  ["purgedOutbox", (tx) => tx.query(purgedOutbox.deleteNext, ["", 7, 1_000]), "outbox_published_at"],
  ["purgedInbox", (tx) => tx.query(purgedInbox.deleteNext, ["", 14, 1_000]), "inbox_received_at"],
  ["selectIsReceived", (tx) => selectIsReceived(tx, "consumer", "7"), "inbox_pkey"],
];
