import { readFileSync } from "node:fs";
import { type Reason, ReasonSchema } from "@cloud/proto/cloud/api/v1/reason_pb";
import { Code } from "@connectrpc/connect";
import { codeOf, ruleOf } from "../src/errors/fail.ts";

const SOURCE = new URL("../../../proto/cloud/api/v1/reason.proto", import.meta.url);

interface Group {
  readonly title: string;
  readonly reasons: Reason[];
}

/**
 * Renders the error catalogue as Markdown: one table for each group of the enum Reason, in the order of the proto file.
 */
export function renderErrorCatalogue(): string {
  const groups = groupReasons(readFileSync(SOURCE, "utf8"));
  const sections = groups.map(({ title, reasons }) => `## ${title}\n\n${HEAD}${reasons.map(row).join("")}`);
  return INTRODUCTION + "\n" + sections.join("\n");
}

const INTRODUCTION = `# Errors

Every error of the system is one of these. A REST response contains \`{"error": text, "code": code, "requestId": …}\`; an
RPC error contains the text, the RPC code, and a \`google.rpc.ErrorInfo\` detail with the domain \`cloud\` and the code as
its \`reason\`. Names in braces are replaced by values from the detail's metadata.

Rendered from [reason.proto](../proto/cloud/api/v1/reason.proto); after a change there: \`UPDATE_DOCS=1 npm test -- packages/access/test/error-catalogue\`.
`;

const HEAD = "| Code | Reason | RPC code | REST status | Text |\n| --- | --- | --- | --- | --- |\n";

function row(reason: Reason): string {
  const { message, rpcCode, httpStatus } = ruleOf(reason);
  return `| \`${codeOf(reason)}\` | ${reason} | \`${rpcCodeName(rpcCode)}\` | ${httpStatus} | ${message} |\n`;
}

/** Returns a gRPC status code as the protocol spells it, such as `NOT_FOUND`. */
export function rpcCodeName(code: number): string {
  return (Code[code] ?? "").replace(/(?<=[a-z])[A-Z]/g, "_$&").toUpperCase();
}

// Generated descriptors omit comments, so the groups are read from the source; their contents are not.
function groupReasons(source: string): Group[] {
  const groups: Group[] = [{ title: "Never returned", reasons: [] }];
  const lines = source.slice(source.indexOf("enum Reason {")).split("\n");
  for (const line of lines) {
    const title = /^ {2}\/\/ (.*)\.$/.exec(line)?.[1];
    if (title !== undefined) groups.push({ title, reasons: [] });
    const name = /^ {2}(REASON_\w+) =/.exec(line)?.[1];
    const value = ReasonSchema.values.find((candidate) => candidate.name === name);
    if (value !== undefined) groups.at(-1)?.reasons.push(value.number as Reason);
  }
  return groups;
}
