import type { Activity } from "./activity-sql.ts";

/** A longer id names nothing; the log keeps its beginning. */
const MAX_ID_CHARACTERS = 64;
/** Bytes of UTF-8. The longest text of the catalogue has half as many. */
const MAX_TEXT_BYTES = 256;

/**
 * Bounds a line of the log: with all of them at their limits it stays below the 1 KiB that the table accepts. A caller
 * sends ids as they like, 1.5 MB of them or with U+0000, which Postgres refuses; neither may fill the log or lose a line.
 */
export function boundActivity(activity: Activity): Activity {
  const { error } = activity.metadata;
  return {
    ...activity,
    owner: cutId(activity.owner),
    actedUpon: cutId(activity.actedUpon),
    description: cutText(activity.description, MAX_TEXT_BYTES),
    metadata:
      typeof error === "string"
        ? { ...activity.metadata, error: cutText(error, MAX_TEXT_BYTES / 2) }
        : activity.metadata,
  };
}

function cutId(id: string): string {
  // A character takes up to two UTF-16 units; cutting a pair leaves half of it at the end, beyond the 64.
  const beginning = storable(id).slice(0, 2 * MAX_ID_CHARACTERS);
  return [...beginning].slice(0, MAX_ID_CHARACTERS).join("").toWellFormed();
}

function cutText(text: string, bytes: number): string {
  const sent = Buffer.from(storable(text));
  if (sent.length <= bytes) return sent.toString();
  return sent
    .subarray(0, bytes)
    .toString()
    .replace(/\ufffd+$/, "");
}

const storable = (text: string) => text.replaceAll("\u0000", "").toWellFormed();
