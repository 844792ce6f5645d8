import { WorkspaceService } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import type { System } from "../../chaos/system/start-system.ts";

/** The size of a large request: over the limit of 2 MiB. */
const LARGE_BYTES = 3 * 1024 * 1024;
/** The time for which a call waits for its session. */
const DEADLINE_MS = 5_000;

export interface SharedSession {
  /** The outcomes of requests that are too large, and of the others. */
  readonly large: readonly string[];
  readonly small: readonly string[];
}

/** Sends too large requests to the workspace service by gRPC, each followed by a small one on the same session. */
export async function shareSession({ demo }: System, rounds: number): Promise<SharedSession> {
  const client = createClient(WorkspaceService, createGrpcTransport({ baseUrl: demo.services.workspace }));
  const options = { headers: { authorization: `Bearer ${demo.users.user.token}` }, timeoutMs: DEADLINE_MS };
  const outcomeOf = (call: Promise<unknown>) =>
    call.then(
      () => "ok",
      (error: unknown) => Code[ConnectError.from(error).code],
    );
  const [large, small] = [new Set<string>(), new Set<string>()];
  for (let round = 0; round < rounds; round++) {
    large.add(await outcomeOf(client.getWorkspace({ id: "x".repeat(LARGE_BYTES) }, options)));
    small.add(await outcomeOf(client.listWorkspaces({ orgId: demo.organizations[0]?.id ?? "" }, options)));
  }
  return { large: [...large], small: [...small] };
}
