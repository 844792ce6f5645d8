import { codeOf, ruleOf } from "@cloud/access/errors";
import { type Reason, ReasonSchema } from "@cloud/proto/cloud/api/v1/reason_pb";
import { codeName, type RestResponse, type RpcReply } from "./call.ts";
import type { Expectation } from "./case-file.ts";
import { spellForRpc } from "./field-spelling.ts";
import { findDifferences } from "./find-differences.ts";

/** The result of a play; it fails if there are differences. */
export interface Outcome {
  readonly expected: unknown;
  readonly got: unknown;
  readonly differences: readonly string[];
}

/** Returns one line for each place where the REST response is not as expected. */
export function judgeRest(expected: Expectation, got: RestResponse): string[] {
  const exactly = { absentIsNull: false };
  const { status, error, code, headers, body } = expected;
  const differences = [
    ...findDifferences(status, got.status, exactly, "status"),
    ...findDifferences(headers, got.headers, exactly, "headers"),
  ];
  if (error !== undefined) {
    // An error must contain nothing else, so the names of its fields are compared too.
    const fields = Object.keys((got.body ?? {}) as object);
    return [
      ...differences,
      ...findDifferences({ error, code, requestId: "<string>" }, got.body, exactly),
      ...findDifferences(["error", "code", "requestId"], fields, exactly, "fields"),
    ];
  }
  const none = status === 204 ? findDifferences("<absent>", got.body, exactly) : [];
  return [...differences, ...none, ...(body === undefined ? [] : findDifferences(body, got.body, exactly))];
}

/** Returns where the RPC's reply or failure is not as expected. */
export function judgeRpc(expected: Expectation, got: RpcReply): string[] {
  const loosely = { absentIsNull: true };
  const { error, code, body } = expected;
  if (code === undefined) {
    if ("failure" in got) return [`expected a reply, got ${JSON.stringify(got.failure)}`];
    return body === undefined ? [] : findDifferences(body, got.body, loosely);
  }
  if ("body" in got) return [`expected ${code}, got the reply ${JSON.stringify(got.body)}`];
  const rpc = expected.rpc ?? catalogued(code);
  // Errors name a field as their caller spells it.
  const spelled = typeof error === "string" ? spellForRpc(error) : error;
  return findDifferences({ rpc, code, error: spelled }, got.failure, loosely, "failure");
}

/** Returns the Connect code of a reason in the catalogue. */
function catalogued(code: string): string {
  const reasons = ReasonSchema.values.map(({ number }) => number as Reason);
  const reason = reasons.find((one) => codeOf(one) === code);
  if (reason === undefined) throw new Error(`the catalogue has no reason "${code}"`);
  return codeName(ruleOf(reason).rpcCode);
}
