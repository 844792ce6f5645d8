import { readFileSync } from "node:fs";
import { createFileRegistry, type DescMethod, hasOption } from "@bufbuild/protobuf";
import { accessRuleOf, createsRecord } from "@cloud/access";
import { codeOf } from "@cloud/access/errors";
import type { Scope } from "@cloud/proto/cloud/api/v1/options_pb";
import type { Permission } from "@cloud/proto/cloud/api/v1/permission_pb";
import { http } from "@cloud/proto/google/api/annotations_pb";
import { commentOf, type OpenapiDocument } from "@cloud/transcoder/openapi";
import { compileProtos } from "../../../gateway/scripts/compile-protos.ts";
import { splitComment } from "../../../gateway/scripts/openapi/operation-notes.ts";
import { listOperations } from "../../../gateway/test/openapi/listed-operations.ts";
import { PROMISED_METHODS } from "../../e2e/permissions/promised-methods.ts";
import { STREAM_ERRORS } from "../../e2e/watches/stream-errors.ts";
import type { Case, CaseFile } from "../runner/case-file.ts";
import { readCaseFiles } from "../runner/read-case-files.ts";

export interface OperationErrors {
  /** `<package>.<service>/<method>`. */
  readonly name: string;
  /** The errors that the comment in proto/ names. */
  readonly named: readonly string[];
  /** The errors that the cases and the examples produce. */
  readonly produced: readonly string[];
  /** The errors that the OpenAPI document lists, for each REST binding. */
  readonly listed: readonly (readonly string[])[];
}

export interface InternalErrors {
  /** `<package>.<service>/<method>`. */
  readonly name: string;
  /** The errors that the comment in proto/ names. */
  readonly named: readonly string[];
}

export interface ScopedErrors extends InternalErrors {
  readonly scope: Scope;
  readonly permission: Permission;
}

/** Lists the RPCs that have a REST form or cases, with the errors that each of the four places gives. */
export function findOperations(): OperationErrors[] {
  const documented = readDocument();
  return methods
    .filter((method) => hasOption(method, http) || caseFiles.some(({ rpc }) => rpc === nameOf(method)))
    .map((method) => {
      const listed = documented.get(nameOf(method)) ?? [];
      return { name: nameOf(method), named: namedBy(method), produced: producedBy(nameOf(method)), listed };
    });
}

/** Lists the RPCs for services only. */
export function findInternal(): InternalErrors[] {
  return methods
    .filter((method) => accessRuleOf(method).forServicesOnly)
    .map((method) => ({ name: nameOf(method), named: namedBy(method) }));
}

/** Lists the RPCs for users, with what they declare. */
export function findScoped(): ScopedErrors[] {
  return methods
    .map((method) => ({ name: nameOf(method), named: namedBy(method), ...accessRuleOf(method) }))
    .filter(({ forServicesOnly }) => !forServicesOnly);
}

const methods = [...createFileRegistry(compileProtos())]
  .flatMap((type) => (type.kind === "service" ? type.methods : []))
  .filter((method) => !method.parent.typeName.startsWith("grpc."));

const nameOf = (method: DescMethod) => method.parent.typeName + "/" + method.name;
const namedBy = (method: DescMethod) => splitComment(commentOf(method)).reasons.map(codeOf);

/** About the protocol, with one operation as the example. */
const WIRE = "wire.yaml";
const caseFiles = readCaseFiles().filter((file) => "cases" in file && file.file !== WIRE) as CaseFile[];

function producedBy(rpc: string): string[] {
  const cases = caseFiles.filter((file) => file.rpc === rpc).flatMap((file) => file.cases.filter(isAbout(file)));
  const produced = cases.flatMap(({ expect: { code } }) => code ?? []);
  return [...produced, ...(STREAM_ERRORS[rpc] ?? []), ...refusedBy(rpc), ...reachedElsewhere(rpc), ...ofKey(rpc)];
}

/** Returns the errors that another test reaches: of bounds, of a path, and of the last Provider Admin. */
function reachedElsewhere(rpc: string): readonly string[] {
  // gateway/test/openapi/inputs/ids-and-headers.long.test.ts
  if (rpc.endsWith("/CreateTeam")) return ["ORGANIZATION_NOT_FOUND"];
  // services/identity/test/admins.int.test.ts
  if (/\.OrganizationService\/(?:DeleteOrganization|SetMemberRoles|RemoveMember)$/.test(rpc))
    return ["LAST_PROVIDER_ADMIN"];
  // services/workspace/test/most-links.long.test.ts
  if (/^workspace\.v1\.WorkspaceService\/Assign/.test(rpc)) return ["TOO_MANY_LINKS"];
  // services/identity/test/invitations.int.test.ts
  return /\/(?:CreateInvitation|AddMember)$/.test(rpc) ? ["TOO_MANY_INVITATIONS"] : [];
}

/**
 * Returns the error of a used idempotency key, which test/e2e/retries/every-create.e2e.test.ts gets from each of these
 * RPCs.
 */
function ofKey(rpc: string): readonly string[] {
  const method = methods.find((one) => nameOf(one) === rpc);
  return method !== undefined && createsRecord(method) ? ["IDEMPOTENCY_KEY_REUSED"] : [];
}

/** Selects cases that play their own operation: a case may check by another operation what its own has done. */
function isAbout({ operation }: CaseFile): (one: Case) => boolean {
  const pattern = new RegExp("^" + operation.replace(/\{\w+\}/g, "[^/]*") + "$");
  return ({ rest }) => rest === undefined || pattern.test(rest.method + " " + rest.path.replace(/\?.*/, ""));
}

/** Returns the errors that test/e2e/permissions/permissions.e2e.test.ts gets without the key or as an outsider. */
function refusedBy(rpc: string): string[] {
  const [service = "", method = ""] = rpc.split("/");
  const promised = PROMISED_METHODS[service]?.[method];
  return promised?.permission !== undefined || promised?.decidedBy === "list" ? ["PERMISSION_DENIED"] : [];
}

/** Returns the codes that the document lists for each binding of an RPC, by its full name. */
function readDocument(): Map<string, string[][]> {
  const text = readFileSync(new URL("../../../gateway/openapi.json", import.meta.url), "utf8");
  return listOperations(JSON.parse(text) as OpenapiDocument).reduce((found, { operation, responses }) => {
    const codes = Object.values(responses).flatMap(
      ({ description }) => description.match(/(?<=^`)[A-Z_]+(?=`:)/gm) ?? [],
    );
    const name = String(operation["x-rpc"]);
    return found.set(name, [...(found.get(name) ?? []), codes]);
  }, new Map<string, string[][]>());
}
