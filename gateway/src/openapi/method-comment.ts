import { codeOf } from "@cloud/contract";
import { type Reason, ReasonSchema } from "@cloud/proto/cloud/api/v1/reason_pb";

/** Splits the comment of an RPC into its description and the reasons that it lists. @throws Error for an unknown one */
export function splitComment(comment: string): { description: string; reasons: Reason[] } {
  const [description = "", errors = ""] = comment.split(/\s?Errors: /, 2);
  const named = new Set(errors.match(/[A-Z][A-Z_]+[A-Z]/g) ?? []);
  const reasons = ReasonSchema.values
    .map((value) => value.number as Reason)
    .filter((reason) => named.has(codeOf(reason)));
  const unknown = [...named].filter((name) => name.includes("_") && !reasons.some((reason) => codeOf(reason) === name));
  if (unknown.length > 0) throw new Error(`no such reason: ${unknown.join(", ")}`);
  return { description, reasons };
}
