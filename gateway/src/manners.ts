import { type DescField, type DescMethod, getOption, type Message } from "@bufbuild/protobuf";
import { FieldKind, field_kind } from "@cloud/proto/cloud/api/v1/field_kind_pb";
import { path_entry } from "@cloud/proto/cloud/api/v1/options_pb";
import { InvitationService } from "@cloud/proto/identity/v1/invitation_service_pb";
import { TokenService } from "@cloud/proto/identity/v1/token_service_pb";
import { type WatchWorkspaceEventsResponse, WorkspaceService } from "@cloud/proto/workspace/v1/workspace_service_pb";
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
 * How this API reads requests: as the clients of its family send them, with parameters and fields that it does not have,
 * or that are empty, names in any case, and `pageSize=99999999999999999999` for the most. Any other number is exact or refused.
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
  // One for each byte of a request's head, which has its own limit.
  queryLimits: { count: 16_384 },
};

/** The services cut a page size to their limit, and refuse a page beyond theirs with a text that names it. */
function isOfPaging(field: DescField): boolean {
  const kind = getOption(field, field_kind);
  return kind === FieldKind.PAGE || kind === FieldKind.PAGE_SIZE;
}

/** How this API writes replies: every field of a record, and all times with milliseconds. */
export const JSON_FORM: JsonOptions = { defaults: "write", timestamps: "milliseconds", absentTimestamps: "null" };

/** How this API speaks HTTP: plain JSON in, and nothing of HTTP that its contract does not have. */
export const HTTP_FORM: Pick<TranscoderOptions, "jsonTypes" | "requestEncodings" | "callerDeadlines" | "passBack"> = {
  jsonTypes: "plain",
  requestEncodings: [],
  callerDeadlines: "ignore",
  passBack: ["ETag", "Idempotent-Replayed", "RateLimit", "RateLimit-Policy"],
};

/** Returns what pages of these origins may send and read. Tokens are in a header, so no page needs cookies. */
export function corsOf(origins: CorsOptions["origins"]): CorsOptions {
  return {
    origins,
    requestHeaders: [
      "Authorization",
      "Content-Type",
      "Idempotency-Key",
      "If-Match",
      "If-None-Match",
      "Last-Event-ID",
      "service-current-orgid",
      "X-Request-Id",
      "traceparent",
      "tracestate",
    ],
    responseHeaders: [
      "Allow",
      "ETag",
      "Idempotent-Replayed",
      "Location",
      "RateLimit",
      "RateLimit-Policy",
      "Retry-After",
      "WWW-Authenticate",
      "X-Request-Id",
    ],
  };
}

/** The fields that published clients leave out, of whatever request has them. */
interface LeftOut extends Message {
  organizationId?: string;
  orgId?: string;
  roleNames?: string[];
  name?: string;
}

/**
 * Fills in what published clients do not send, or send elsewhere than this API has it:
 *
 * - On their own paths, a request that names no organization concerns that of the header `service-current-orgid`.
 * - Who adds a user there names no role: the user is added with the role User.
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

/** Remembered, because an option is decoded each time it is read. */
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
 * Each watch has a connection to the workspace service, which accepts 1,024 of one address, and of the gateway's other
 * calls at most 128 have one.
 */
export const DEFAULT_MAX_WATCHES = 800;

/** The service sends a sign of life at least every 10 s: after three that are missing it is gone. */
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

/** Returns how a stream is served: a watch as server-sent events, an export as lines, unless its client asks otherwise. */
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
