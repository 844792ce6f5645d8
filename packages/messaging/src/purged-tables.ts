import { purgedByTime } from "@cloud/postgres";

/** Published events. Those that are not published are kept indefinitely. */
export const purgedOutbox = purgedByTime("outbox", "published_at");

/** Events that have been applied. */
export const purgedInbox = purgedByTime("inbox", "received_at");
