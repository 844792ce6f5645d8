import { getOption } from "@bufbuild/protobuf";
import { Audience, audience } from "@cloud/proto/cloud/api/v1/options_pb";
import { findInternals } from "../wire/internals.ts";
import type { WireAnswer } from "../wire/send-http.ts";
import type { FuzzCall } from "./generate-call.ts";
import { readOutcome } from "./read-outcome.ts";

/** The codes that refuse a caller that sends nonsense. */
const REFUSALS: ReadonlySet<string> = new Set([
  "invalid_argument",
  "unauthenticated",
  "unimplemented",
  "resource_exhausted",
]);
/** The codes that no client's message may cause. */
const FAULTS = /^(internal|unknown|unavailable|deadline_exceeded|data_loss|aborted|canceled|none|http 5\d\d)$/;

export interface Judged {
  readonly outcome: string;
  readonly wrong: readonly string[];
}

export function judgeCall(call: FuzzCall, answer: WireAnswer): Judged {
  const outcome = readOutcome(call.protocol, answer);
  const text = JSON.stringify({ ...answer.headers, date: "" }) + answer.body.toString("latin1");
  const wrong: string[] = [];
  if (FAULTS.test(outcome) && !isExpected(call, outcome)) wrong.push(outcome);
  else if (call.broken && !isRefusal(call, outcome)) wrong.push(outcome + " for a broken message");
  // Descriptors name their files, and reflection is there to show them.
  const isReflection = call.rpc.path.startsWith("/grpc.reflection.");
  if (outcome !== "ok" && !isReflection) {
    const sent = call.body.toString("latin1") + JSON.stringify(call.headers);
    for (const kind of findInternals(text, sent)) wrong.push(kind + " with " + outcome);
  }
  return { outcome, wrong };
}

function isExpected({ flagged, rpc, http2 }: FuzzCall, outcome: string): boolean {
  switch (outcome) {
    // A frame flagged as compressed in a call without compression: gRPC's compression.md requires INTERNAL.
    case "internal":
      return flagged;
    // The deadline that the call itself has set.
    case "deadline_exceeded":
      return rpc.method.methodKind === "server_streaming";
    // HTTP/1.1 has no streams in both directions.
    case "http 505":
      return rpc.method.methodKind === "bidi_streaming" && !http2;
    default:
      return false;
  }
}

function isRefusal({ rpc }: FuzzCall, outcome: string): boolean {
  // A caller that is no service is refused by the options of the RPC, whatever the message.
  const isForbidden = outcome === "permission_denied" && getOption(rpc.method, audience) === Audience.SERVICE;
  return REFUSALS.has(outcome) || outcome.startsWith("http 4") || isForbidden;
}
