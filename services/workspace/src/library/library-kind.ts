import { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";

/** What differs between the two kinds of thing that an organization keeps in its library. */
export interface LibraryKind {
  readonly name: "design" | "view";
  readonly table: "designs" | "views";
  readonly notFound: Reason;
  /** What those who do not own it need to change or delete it. */
  readonly managePermission: Permission;
}

export const designs: LibraryKind = {
  name: "design",
  table: "designs",
  notFound: Reason.DESIGN_NOT_FOUND,
  managePermission: Permission.MANAGE_DESIGNS,
};

export const views: LibraryKind = {
  name: "view",
  table: "views",
  notFound: Reason.VIEW_NOT_FOUND,
  managePermission: Permission.MANAGE_VIEWS,
};
