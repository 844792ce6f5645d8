import { type SqlText, sql } from "@cloud/postgres";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";

/** What differs between designs and views, the two kinds of item in the library of an organization. */
export interface LibraryKind {
  readonly name: "design" | "view";
  readonly table: SqlText;
  readonly notFound: Reason;
}

export const designs: LibraryKind = {
  name: "design",
  table: sql`designs`,
  notFound: Reason.DESIGN_NOT_FOUND,
};

export const views: LibraryKind = {
  name: "view",
  table: sql`views`,
  notFound: Reason.VIEW_NOT_FOUND,
};
