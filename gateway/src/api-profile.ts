import { type DescField, type DescMethod, getOption, type Message } from "@bufbuild/protobuf";
import { FieldKind, field_kind } from "@cloud/proto/cloud/api/v1/field_kind_pb";
import { path_entry } from "@cloud/proto/cloud/api/v1/options_pb";
import { InvitationService } from "@cloud/proto/identity/v1/invitation_service_pb";
import { TokenService } from "@cloud/proto/identity/v1/token_service_pb";
import { type WatchWorkspaceEventsResponse, WorkspaceService } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { READ_HEADERS, SENT_HEADERS } from "@cloud/rpc";
import type {
  BindingOptions,
  CorsOptions,
  JsonOptions,
  MethodSettings,
  Route,
  StreamSettings,
  TranscoderCall,
  TranscoderOptions,
} from "@cloud/transcoder";

/**
 * The way in which this API reads requests: as the clients of its family send them, with unknown or empty parameters
 * and fields, names in any case, and `pageSize=99999999999999999999` for the largest page. Any other number is exact or
 * refused.
 */
export const BINDING: BindingOptions = {
  unknownParameters: "ignore",
  unknownFields: "ignore",
  pathConflicts: "ignore",
  unboundBody: "ignore",
  emptyParameters: "ignore",
  parameterNames: "any-case",
  nearestIntegers: isOfPaging,
  structIntegers: "exact",
  // The limit of metadata, which the services check, too.
  structDepth: 32,
  // As many as a request's head has bytes; the head has its own limit.
  queryLimits: { count: 16_384 },
};

/** Returns whether a field is `page` or `page_size`: the services cut a size, or refuse a page, beyond their limit. */
function isOfPaging(field: DescField): boolean {
  const kind = getOption(field, field_kind);
  return kind === FieldKind.PAGE || kind === FieldKind.PAGE_SIZE;
}

/** The way in which this API writes replies: every field of a record, and all times with milliseconds. */
export const JSON_FORM: JsonOptions = { defaults: "write", timestamps: "milliseconds", absentTimestamps: "null" };

/** The way in which this API speaks HTTP: plain JSON in, and no feature of HTTP that its contract does not have. */
export const HTTP_FORM: Pick<TranscoderOptions, "jsonTypes" | "requestEncodings" | "callerDeadlines" | "passBack"> = {
  jsonTypes: "plain",
  requestEncodings: [],
  callerDeadlines: "ignore",
  passBack: ["ETag", "Idempotent-Replayed", "RateLimit", "RateLimit-Policy"],
};

/**
 * Returns the headers that pages of these origins may send and read. Tokens are in a header, so no page needs cookies.
 */
export function corsOf(origins: CorsOptions["origins"]): CorsOptions {
  return {
    origins,
    requestHeaders: [...SENT_HEADERS, "Content-Type", "Last-Event-ID"],
    responseHeaders: [...READ_HEADERS, "Allow", "Location", "WWW-Authenticate"],
  };
}

/** The fields that published clients leave out, in any request that has them. */
interface LeftOut extends Message {
  organizationId?: string;
  orgId?: string;
  roleNames?: string[];
  name?: string;
}

/**
 * Fills in fields that published clients do not send, or send elsewhere than this API has them:
 *
 * - On their own paths, a request without an organization concerns the one in the header `service-current-orgid`.
 * - A request there that adds a user names no role: the user is added with the role User.
 * - They send the name of a new token as a query parameter, and no body.
 */
export function adaptPublished({ route, request }: TranscoderCall, message: LeftOut, hasBody: boolean): void {
  if (route === undefined) return;
  if (!hasBody && route.method === TokenService.method.createToken) {
    message.name ||= new URLSearchParams(request.url?.split("?")[1]).get("name") ?? "";
  }
  if (!isPublished(route)) return;
  const current = request.headers["service-current-orgid"];
  if (message.organizationId === "") message.organizationId = textOf(current);
  if (message.orgId === "" && message.organizationId === undefined) message.orgId = textOf(current);
  if (message.roleNames?.length === 0 && route.method === InvitationService.method.addMember) {
    message.roleNames = ["User"];
  }
}

const textOf = (header: string | readonly string[] | undefined) => (typeof header === "string" ? header : "");

const known = new WeakMap<Route, boolean>();

/**
 * Returns whether a route is a published client's. It remembers the result: an option is decoded each time it is read.
 */
function isPublished(route: Route): boolean {
  const remembered = known.get(route);
  if (remembered !== undefined) return remembered;
  const { method, template } = route;
  const published = getOption(method, path_entry).some((entry) => entry.published && entry.path === template.text);
  known.set(route, published);
  return published;
}

const { watchWorkspaceEvents, exportOrganizationEvents } = WorkspaceService.method;

/**
 * The most watches by default. Each has a connection to the workspace service, which accepts 1,024 from one address.
 * The gateway's other calls have at most 128 connections.
 */
export const DEFAULT_MAX_WATCHES = 800;

/** Milliseconds of silence after which the service is gone: it sends a sign of life at least every 10 s. */
const GONE_MS = 30_000;

const WATCH: StreamSettings = {
  idleMs: GONE_MS,
  format: "text/event-stream",
  event: (message) => {
    const { event, position, gone } = message as WatchWorkspaceEventsResponse;
    if (gone) return { id: position, name: "gone" };
    return { ...(position !== "" && { id: position }), isMark: event === undefined };
  },
};

const EXPORT: StreamSettings = { format: "application/x-ndjson" };

/**
 * Returns the format of a stream: server-sent events for a watch, lines for an export, unless the client asks
 * otherwise.
 */
export function streamSettings(method: DescMethod): MethodSettings | undefined {
  if (method === watchWorkspaceEvents) return { stream: WATCH };
  return method === exportOrganizationEvents ? { stream: EXPORT } : undefined;
}

/** Continues a watch after the last event that the client received, where the request does not name another one. */
export function continueWatch({ route, request }: TranscoderCall, message: Message & { after?: string }): void {
  if (route?.method !== watchWorkspaceEvents) return;
  const last = request.headers["last-event-id"];
  if (typeof last === "string") message.after ||= last;
}
