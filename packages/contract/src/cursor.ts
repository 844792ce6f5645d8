import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { fail } from "./fail.ts";
import { isId } from "./values.ts";

/** The last record of a page of a list that is ordered by time and id; the next page follows it. */
export interface Cursor {
  /** In whole milliseconds, as the columns keep it. */
  readonly createdAt: Date;
  readonly id: string;
}

/** Returns the cursor as clients receive it. They must not read it, so that its contents can change. */
export function formatCursor({ createdAt, id }: Cursor): string {
  return Buffer.from(createdAt.getTime() + "." + id).toString("base64url");
}

/** Parses a cursor; an empty one is the beginning. @throws INVALID_PARAMETER for a text that is not a cursor. */
export function parseCursor(text: string): Cursor | undefined {
  if (text === "") {
    return undefined;
  }
  const [, milliseconds = "", id = ""] = /^(\d{1,14})\.(.{36})$/.exec(Buffer.from(text, "base64url").toString()) ?? [];
  const cursor = { createdAt: new Date(Number(milliseconds)), id };
  // Compared with what would have been sent: base64 accepts several spellings of one text.
  if (!isId(id) || formatCursor(cursor) !== text) {
    throw fail(Reason.INVALID_PARAMETER, { parameter: "cursor", accepts: "a cursor from an earlier reply" });
  }
  return cursor;
}

/** Before every record, in a list that is newest first. */
const BEGINNING = ["infinity", "ffffffff-ffff-ffff-ffff-ffffffffffff"] as const;

/** Returns the time and the id after which a list that is newest first continues, as parameters of its statement. */
export function afterCursor(cursor: Cursor | undefined): readonly [Date | "infinity", string] {
  return cursor === undefined ? BEGINNING : [cursor.createdAt, cursor.id];
}
