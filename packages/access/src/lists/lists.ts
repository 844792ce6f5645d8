import { FieldKind } from "@cloud/proto/cloud/api/v1/field_kind_pb";
import type { AssignmentFilter } from "@cloud/proto/cloud/api/v1/list_pb";
import { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import type { ConnectError } from "@connectrpc/connect";
import { fieldRuleOf } from "../access-rule.ts";
import { fail } from "../errors/fail.ts";
import { type Principal, permissionName } from "../principal.ts";
import { isId, type OrganizationId } from "../values.ts";

/** The list parameters of a request. */
export interface ListRequest {
  readonly search: string;
  readonly order: string;
  readonly page: bigint;
  readonly pageSize: bigint;
}

/** The list parameters as SQL uses them. */
export interface ListParameters {
  readonly search: string;
  readonly order: { readonly column: "created_at" | "updated_at" | "name"; readonly direction: "asc" | "desc" };
  /** Zero-based. */
  readonly page: number;
  /** 1 to 100. */
  readonly pageSize: number;
}

/**
 * Parses the list parameters.
 *
 * @throws INVALID_PARAMETER that names the parameter, as proto does, and what it accepts.
 */
export function parseListParameters(request: ListRequest, allowed = { orderByName: false }): ListParameters {
  return {
    search: request.search,
    order: parseOrder(request.order, allowed.orderByName),
    page: parsePage(request.page),
    pageSize: parsePageSize(request.pageSize),
  };
}

/** Returns whether a list contains the members (the default) or the non-members. */
export function parseAssigned(filter: AssignmentFilter | undefined): boolean {
  return filter?.assigned ?? true;
}

function parseOrder(text: string, orderByName: boolean): ListParameters["order"] {
  if (text.trim() === "") {
    return { column: "created_at", direction: "desc" };
  }
  const [name = "", direction, ...rest] = text.trim().split(/\s+/);
  const column = columnOf(name, orderByName);
  if (column === undefined || rest.length > 0 || !isDirection(direction)) {
    const columns = orderByName ? "created_at, updated_at or name" : "created_at or updated_at";
    throw fail(Reason.INVALID_PARAMETER, { parameter: "order", accepts: columns + ", optionally with asc or desc" });
  }
  const lower = direction?.toLowerCase() as "asc" | "desc" | undefined;
  return { column, direction: lower ?? (column === "name" ? "asc" : "desc") };
}

function columnOf(name: string, orderByName: boolean): ListParameters["order"]["column"] | undefined {
  switch (name) {
    case "created_at":
    case "createdAt":
      return "created_at";
    case "updated_at":
    case "updatedAt":
      return "updated_at";
    case "name":
      return orderByName ? "name" : undefined;
    default:
      return undefined;
  }
}

function isDirection(text: string | undefined): boolean {
  return text === undefined || ["asc", "desc"].includes(text.toLowerCase());
}

const DEFAULT_PAGE_SIZE = Number(fieldRuleOf(FieldKind.PAGE_SIZE).default);
const { maximum: MAX_PAGE_SIZE = 0n } = fieldRuleOf(FieldKind.PAGE_SIZE_APPLIED);
/** The largest page: the reply echoes it as int32. */
const { maximum: MAX_PAGE = 0n } = fieldRuleOf(FieldKind.PAGE);

function parsePage(page: bigint): number {
  if (page < 0n || page > MAX_PAGE) {
    throw fail(Reason.INVALID_PARAMETER, {
      parameter: "page",
      accepts: "a whole number from 0 to " + String(MAX_PAGE),
    });
  }
  return Number(page);
}

/** Parses a page size: 25 if absent, at most 100. @throws INVALID_PARAMETER. */
function parsePageSize(size: bigint): number {
  if (size < 0n) {
    throw fail(Reason.INVALID_PARAMETER, {
      parameter: "page_size",
      accepts: "a whole number from 0, which means the default of " + String(DEFAULT_PAGE_SIZE),
    });
  }
  return size === 0n ? DEFAULT_PAGE_SIZE : Number(size > MAX_PAGE_SIZE ? MAX_PAGE_SIZE : size);
}

interface SelectionRequest extends ListRequest {
  readonly organizationId: string;
  /** 16 bytes each. */
  readonly ids: Uint8Array;
  readonly assigned: boolean;
}

/** Selects the records of an organization that are among the ids if `assigned`, else the others. */
export interface SelectionParameters {
  readonly organizationId: OrganizationId;
  /** 16 bytes each. */
  readonly ids: Uint8Array;
  readonly assigned: boolean;
  readonly query: ListParameters;
}

/**
 * Parses the request of a workspace's list to the owner of the records. The number of ids has no bound but the message
 * limit, because a workspace may have 200,000 links.
 *
 * @throws INVALID_PARAMETER.
 */
export function parseSelectionParameters(request: SelectionRequest): SelectionParameters {
  const { ids, assigned } = request;
  if (ids.length % BYTES_OF_ID !== 0) {
    throw fail(Reason.INVALID_PARAMETER, { parameter: "ids", accepts: "ids of 16 bytes each" });
  }
  const query = parseListParameters(request);
  if (!isId(request.organizationId)) {
    throw fail(Reason.INVALID_PARAMETER, { parameter: "organization_id", accepts: "the id of an organization" });
  }
  return { organizationId: request.organizationId as OrganizationId, ids, assigned, query };
}

const BYTES_OF_ID = 16;

/** Returns ids as 16 bytes each; drops malformed ones. */
export function packIds(ids: readonly string[]): Uint8Array {
  return Buffer.from(ids.filter(isId).join("").replaceAll("-", ""), "hex");
}

export const VISIBILITIES = ["private", "public", "published"] as const;

/** The audience of a design or view. */
export type Visibility = (typeof VISIBILITIES)[number];

const isVisibility = (value: string): value is Visibility => (VISIBILITIES as readonly string[]).includes(value);

/** Parses a visibility; empty means the fallback. @throws INVALID_PARAMETER. */
export function parseVisibility(value: string, fallback: Visibility): Visibility {
  if (value === "") {
    return fallback;
  }
  if (!isVisibility(value)) {
    throw invalid();
  }
  return value;
}

/**
 * Parses a list's visibility filter, repeated or comma-separated; an empty filter means all.
 *
 * @throws INVALID_PARAMETER.
 */
export function parseVisibilityFilter(values: readonly string[]): readonly Visibility[] {
  const parts = values.flatMap((value) => value.split(",")).map((part) => part.trim());
  if (!parts.every(isVisibility)) {
    throw invalid();
  }
  return [...new Set(parts)];
}

const invalid = () =>
  fail(Reason.INVALID_PARAMETER, { parameter: "visibility", accepts: "private, public or published" });

/** The values of `orgId` that mean all organizations, as older clients spell them. */
const ALL_ORGANIZATIONS = new Set(["all", "11111111-1111-1111-1111-111111111111"]);

/**
 * Returns what a list's `orgId` covers.
 *
 * @throws what `Caller.requireListScope` throws, but for the RPC's permission.
 */
export async function resolveListScope(principal: Principal, orgId: string): Promise<"all" | OrganizationId> {
  if (orgId === "") {
    throw fail(Reason.ORG_ID_REQUIRED);
  }
  const seesAll = principal.holdsEverywhere(Permission.VIEW_ALL_ORGANIZATIONS);
  if (ALL_ORGANIZATIONS.has(orgId.toLowerCase())) {
    if (!seesAll) {
      throw permissionDenied(Permission.VIEW_ALL_ORGANIZATIONS);
    }
    return "all";
  }
  const organization = orgId.toLowerCase() as OrganizationId;
  if (!isId(orgId) || !(await principal.isMemberOf(organization))) {
    throw seesAll ? fail(Reason.ORGANIZATION_NOT_FOUND) : permissionDenied(Permission.VIEW_ALL_ORGANIZATIONS);
  }
  return organization;
}

/** Returns PERMISSION_DENIED with the key's name. */
export function permissionDenied(permission: Permission): ConnectError {
  return fail(Reason.PERMISSION_DENIED, { permission: permissionName(permission) });
}

/** Returns the refusal of what only a Provider Admin may do: no other role holds View All Organizations. */
export function providerAdminRequired(): ConnectError {
  return permissionDenied(Permission.VIEW_ALL_ORGANIZATIONS);
}
