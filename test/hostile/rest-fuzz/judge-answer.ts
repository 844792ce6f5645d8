import { findInternals } from "../wire/internals.ts";
import type { WireAnswer, WireRequest } from "../wire/send-http.ts";
import type { Operation } from "./operations.ts";

/** Codes that every operation documents, but that no client's request may cause. */
const FAULTS: ReadonlySet<string> = new Set(["INTERNAL", "UNAVAILABLE", "DEADLINE_EXCEEDED", "UNIMPLEMENTED"]);

/** Returns what is wrong with an answer; nothing if it is as the document and the contract have it. */
export function judgeAnswer({ codes }: Operation, request: WireRequest, answer: WireAnswer): string[] {
  const { status } = answer;
  const text = answer.body.toString();
  const wrong: string[] = [];
  const listed = codes.get(status);
  if (listed === undefined) wrong.push("status " + status + " is not documented: " + text.slice(0, 200));
  if (status >= 400) wrong.push(...judgeError(answer, text, listed));
  else if (status === 204 ? text !== "" : !isJson(text)) wrong.push("a success that is no JSON");
  const sent = request.path + request.headers.flat().join(" ") + (request.body ?? "");
  const seen = JSON.stringify({ ...answer.headers, date: "" }) + text;
  for (const kind of findInternals(seen, sent)) wrong.push(kind + " in " + seen.slice(0, 400));
  return wrong;
}

function judgeError({ status, headers }: WireAnswer, text: string, listed: ReadonlySet<string> | undefined): string[] {
  const body = parse(text);
  if (body === undefined) return ["an error without a JSON object: " + text.slice(0, 200)];
  const { error, code, requestId, ...others } = body;
  const wrong: string[] = [];
  if (typeof error !== "string" || error === "") wrong.push("no text");
  if (typeof code !== "string" || !/^[A-Z][A-Z_]+$/.test(code)) wrong.push("no code");
  else if (listed !== undefined && !listed.has(code)) wrong.push(code + " is not documented with " + status);
  if (typeof code === "string" && status >= 500 && FAULTS.has(code))
    wrong.push("a fault of the system: " + status + " " + code);
  if (requestId !== headers["x-request-id"]) wrong.push("another request id than in the header");
  if (Object.keys(others).length > 0) wrong.push("further fields: " + Object.keys(others).join(", "));
  if (headers["content-type"] !== "application/json") wrong.push("content type " + headers["content-type"]);
  if (headers["x-content-type-options"] !== "nosniff") wrong.push("no nosniff");
  if (status === 401 && headers["www-authenticate"] !== "Bearer") wrong.push("no WWW-Authenticate");
  return wrong;
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
