import { type Reason, ReasonSchema } from "@cloud/proto/cloud/api/v1/reason_pb";
import { codeOf, ruleOf } from "@cloud/rpc";
import { codeName, type RestAnswer, type RpcAnswer } from "./call.ts";
import type { Expectation } from "./case-file.ts";
import { findDifferences } from "./find-differences.ts";

/** What a play came to; it fails where there are differences. */
export interface Outcome {
  readonly expected: unknown;
  readonly got: unknown;
  readonly differences: readonly string[];
}

/** Where the REST answer is not as expected, one line for each place. */
export function judgeRest(expected: Expectation, got: RestAnswer): string[] {
  const exactly = { absentIsNull: false };
  const { status, error, code, headers, body } = expected;
  const answer = [
    ...findDifferences(status, got.status, exactly, "status"),
    ...findDifferences(headers, got.headers, exactly, "headers"),
  ];
  if (error !== undefined) {
    // Nothing else may leave with an error, so that the names of its fields are compared too.
    const fields = Object.keys((got.body ?? {}) as object);
    return [
      ...answer,
      ...findDifferences({ error, code, requestId: "<string>" }, got.body, exactly),
      ...findDifferences(["error", "code", "requestId"], fields, exactly, "fields"),
    ];
  }
  const none = status === 204 ? findDifferences("<absent>", got.body, exactly) : [];
  return [...answer, ...none, ...(body === undefined ? [] : findDifferences(body, got.body, exactly))];
}

/** Where the RPC's reply or failure is not as expected. */
export function judgeRpc(expected: Expectation, got: RpcAnswer): string[] {
  const loosely = { absentIsNull: true };
  const { error, code, body } = expected;
  if (code === undefined) {
    if ("failure" in got) return [`expected a reply, got ${JSON.stringify(got.failure)}`];
    return body === undefined ? [] : findDifferences(body, got.body, loosely);
  }
  if ("body" in got) return [`expected ${code}, got the reply ${JSON.stringify(got.body)}`];
  const rpc = expected.rpc ?? catalogued(code);
  return findDifferences({ rpc, code, error }, got.failure, loosely, "failure");
}

/** The Connect code that the catalogue gives a reason. */
function catalogued(code: string): string {
  const reasons = ReasonSchema.values.map(({ number }) => number as Reason);
  const reason = reasons.find((one) => codeOf(one) === code);
  if (reason === undefined) throw new Error(`the catalogue has no reason "${code}"`);
  return codeName(ruleOf(reason).rpcCode);
}
