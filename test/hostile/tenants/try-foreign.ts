import { type DescMethod, getOption, hasOption } from "@bufbuild/protobuf";
import { newId, type OrganizationId } from "@cloud/access/values";
import type { Demo } from "@cloud/local-stack";
import { http } from "@cloud/proto/google/api/annotations_pb";
import { deriveRestRequest } from "../../cases/runner/derive-rest-request.ts";
import type { Method } from "../../cases/runner/find-method.ts";
import { SERVICES, type ServiceName } from "../../chaos/system/services.ts";
import { PROMISED_METHODS } from "../../e2e/permissions/promised-methods.ts";
import type { Records } from "../rest-fuzz/records.ts";
import type { WireAnswer, WireClient } from "../wire/send-http.ts";
import { type IdField, idFieldsOf, idsOf } from "./id-fields.ts";

/** The details of an error contain the id of the request, also in bytes. */
const SAME_ID = ["x-request-id", "00000000-0000-4000-8000-000000000000"] as const;

/** The parts of an answer that a caller sees, without the parts that differ between any two answers. */
export interface Seen {
  readonly status: number;
  readonly headers: string;
  readonly body: string;
}

export interface Tried {
  /** The name of the call: `<RPC> <field> <surface>`. */
  readonly name: string;
  readonly foreign: Seen;
  readonly missing: Seen;
}

export interface Stage {
  readonly demo: Demo;
  /** The records of the caller's organization; `other` has another organization's. */
  readonly own: Records;
  readonly other: Records;
  readonly rest: WireClient;
  readonly rpc: Readonly<Record<ServiceName, WireClient>>;
}

/**
 * Calls an RPC once per field that names a record, by RPC and by REST, as the Org Admin of an organization: with the
 * record of another organization in that field, and with an id of no record. Its other fields name the caller's own.
 */
export async function tryForeign(stage: Stage, desc: DescMethod): Promise<Tried[]> {
  const fields = idFieldsOf(desc);
  const tried: Tried[] = [];
  for (const field of fields) {
    const request = (id: string) => requestOf(stage, desc, fields, field, id);
    const missing = request(newId<OrganizationId>());
    for (const [index, [surface, call]] of surfacesOf(stage, desc).entries()) {
      // Another record for each surface: who was invited by RPC cannot be invited again.
      const foreign = request(idIn(stage.other, field, index));
      const name = `${desc.parent.typeName}/${desc.name} ${field.field.jsonName} ${surface}`;
      tried.push({ name, foreign: await call(foreign), missing: await call(missing) });
    }
  }
  return tried;
}

type Request = Readonly<Record<string, unknown>>;

function requestOf(stage: Stage, desc: DescMethod, fields: readonly IdField[], tried: IdField, id: string): Request {
  const more = PROMISED_METHODS[desc.parent.typeName]?.[desc.name]?.request ?? {};
  const plain = Object.entries(more).filter(([, value]) => !JSON.stringify(value).includes("$"));
  const ids = fields.map((one) => {
    const value = one === tried ? id : idIn(stage.own, one);
    return [one.field.jsonName, idsOf(one, value)];
  });
  const text = desc.input.fields.some(({ name }) => name === "name") ? { name: "Tried" } : {};
  return { ...text, ...Object.fromEntries(plain), ...Object.fromEntries(ids) };
}

/** Returns the id of a record. The organization is the owner of the other records. */
const idIn = (records: Records, { segment }: IdField, index?: number) =>
  segment === "organizations" ? records.organizationId : records.get(segment, index);

type Call = (request: Request) => Promise<Seen>;

function surfacesOf({ demo, rest, rpc }: Stage, desc: DescMethod): [string, Call][] {
  const authorization = ["authorization", "Bearer " + demo.users.outsider.token] as const;
  const type = ["content-type", "application/json"] as const;
  const path = `/${desc.parent.typeName}/${desc.name}`;
  const byRpc: Call = async (request) => {
    const body = Buffer.from(JSON.stringify(request));
    return seen(
      await rpc[serviceOf(desc)].send({ method: "POST", path, headers: [authorization, type, SAME_ID], body }),
    );
  };
  if (!hasOption(desc, http)) return [["RPC", byRpc]];
  const method = { desc, rule: getOption(desc, http), process: serviceOf(desc) } as Method;
  const byRest: Call = async (request) => {
    const { body, ...derived } = deriveRestRequest(method, request);
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const headers = bytes === undefined ? [authorization] : [authorization, type];
    return seen(await rest.send({ method: derived.method, path: "/api" + derived.path, headers, body: bytes }));
  };
  return [
    ["RPC", byRpc],
    ["REST", byRest],
  ];
}

function serviceOf({ parent }: DescMethod): ServiceName {
  return SERVICES.find((name) => parent.typeName.startsWith(name + ".")) ?? "identity";
}

function seen({ status, headers, body }: WireAnswer): Seen {
  const { date: _date, "x-request-id": id, ...others } = headers;
  const text = body.toString();
  return {
    status,
    headers: JSON.stringify(others),
    body: typeof id === "string" ? text.replaceAll(id, "<request id>") : text,
  };
}
