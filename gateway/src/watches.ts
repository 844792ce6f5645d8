import type { DescMethod, Message } from "@bufbuild/protobuf";
import { type WatchWorkspaceEventsResponse, WorkspaceService } from "@cloud/proto/workspace/v1/workspace_service_pb";
import type { MethodSettings, StreamSettings, TranscoderCall } from "@cloud/transcoder";

const { watchWorkspaceEvents, exportOrganizationEvents } = WorkspaceService.method;

/**
 * Each watch has a connection to the workspace service, which accepts 1,024 of one address, and of the gateway's other
 * calls at most 128 have one.
 */
export const DEFAULT_MAX_WATCHES = 800;

/** The service sends a sign of life every 10 s: after three that are missing it is gone. */
const GONE_MS = 30_000;

const WATCH: StreamSettings = {
  idleMs: GONE_MS,
  format: "text/event-stream",
  event: (message) => {
    const { event, position } = message as WatchWorkspaceEventsResponse;
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
