import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { getOption, ScalarType } from "@bufbuild/protobuf";
import { Audience, audience } from "@cloud/proto/cloud/api/v1/options_pb";
import type { Random } from "@cloud/testkit/figures";
import { mapAtOnce } from "../../chaos/system/map-at-once.ts";
import { forEachService } from "../../chaos/system/services.ts";
import type { System } from "../../chaos/system/start-system.ts";
import { PROMISED_METHODS } from "../../e2e/permissions/promised-methods.ts";
import { fillPath } from "../rest-fuzz/fill-path.ts";
import { readOperations } from "../rest-fuzz/operations.ts";
import type { Records } from "../rest-fuzz/records.ts";
import { findRpcs } from "../rpc-fuzz/rpc-methods.ts";
import { idFieldsOf, idsOf } from "../tenants/id-fields.ts";
import { createWireClient } from "../wire/send-http.ts";

/** RPCs that would delete the records or the rights which the other calls need. */
const DELETES = /\/(Delete|Revoke|RemoveMember|Decline)/;

/** The field that a request may not have besides the one played. */
const INSTEAD_OF: Readonly<Record<string, string>> = { email: "userId" };

export interface Played {
  readonly texts: readonly string[];
  /** The number of texts to choose by chance for each string; all if absent. */
  readonly perString?: { readonly count: number; readonly random: Random };
  /** The name of the only strings that are played. */
  readonly only?: string | undefined;
}

/** Puts texts into each string of each RPC and of each REST operation, one at a time. Returns the number of calls. */
export async function playTexts(system: System, records: Records, played: Played): Promise<number> {
  const calls = [...(await rpcCalls(system, records, played)), ...restCalls(system, records, played)];
  const services = await forEachService(async (name) => createWireClient(system.demo.services[name]));
  const gateway = createWireClient(system.demo.gateway);
  await mapAtOnce(
    8,
    calls,
    async ({ to, ...request }) => void (await (to === "gateway" ? gateway : services[to]).send(request)),
  );
  for (const client of [gateway, ...Object.values(services)]) client.close();
  return calls.length;
}

function textsFor({ texts, perString, only }: Played, name: string): readonly string[] {
  if (only !== undefined && only !== name) return [];
  return perString === undefined ? texts : perString.random.shuffle(texts).slice(0, perString.count);
}

type Target = "gateway" | "identity" | "environment" | "workspace";
interface Call {
  readonly to: Target;
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: Buffer | undefined;
}

async function rpcCalls({ demo }: System, records: Records, played: Played): Promise<Call[]> {
  const rpcs = (await findRpcs()).filter(
    ({ method }) => method.methodKind === "unary" && !method.parent.typeName.startsWith("grpc."),
  );
  return rpcs.flatMap(({ method, service, path }) => {
    const isInternal = getOption(method, audience) === Audience.SERVICE;
    const token = isInternal ? demo.serviceToken : demo.users.orgAdmin.token;
    const headers = [
      ["authorization", "Bearer " + token],
      ["content-type", "application/json"],
    ] as const;
    const promised = PROMISED_METHODS[method.parent.typeName]?.[method.name]?.request ?? {};
    const plain = Object.entries(promised).filter(([, value]) => !JSON.stringify(value).includes("$"));
    const ids = idFieldsOf(method).map((one) => {
      const id = one.segment === "organizations" ? records.organizationId : records.get(one.segment);
      return [one.field.jsonName, idsOf(one, id)] as const;
    });
    const all = [...plain, ...(DELETES.test(path) ? [] : ids)];
    return stringsOf(method.input).flatMap((field) => {
      const base = Object.fromEntries(all.filter(([name]) => name !== INSTEAD_OF[field.name]));
      return textsFor(played, field.name).map((text) => {
        const value = field.fieldKind === "list" ? [text] : field.fieldKind === "message" ? { [text]: text } : text;
        const body = Buffer.from(JSON.stringify({ ...base, [field.jsonName]: value }));
        return { to: service, method: "POST", path, headers, body };
      });
    });
  });
}

/** Fields that are strings, lists of them, or a Struct, whose keys are. */
function stringsOf({ fields }: DescMessage): DescField[] {
  return fields.filter(
    (field) =>
      (field.fieldKind === "scalar" && field.scalar === ScalarType.STRING) ||
      (field.fieldKind === "list" && field.listKind === "scalar" && field.scalar === ScalarType.STRING) ||
      (field.fieldKind === "message" && field.message.typeName === "google.protobuf.Struct"),
  );
}

function restCalls({ demo }: System, records: Records, played: Played): Call[] {
  const authorization = ["authorization", "Bearer " + demo.users.orgAdmin.token] as const;
  return readOperations().flatMap(({ method, path, parameters }) => {
    const pathWith = (replaced: string, text: string) =>
      fillPath(path, (variable, collection) => {
        if (variable === replaced) return encodeURIComponent(text) || "x";
        return method === "DELETE" ? "none" : records.get(collection);
      });
    return parameters.flatMap(({ name, in: place }) =>
      textsFor(played, name).map((text) => {
        const organization = name === "orgId" ? "" : "orgId=" + records.organizationId + "&";
        const query = place === "query" ? "?" + organization + name + "=" + encodeURIComponent(text) : "";
        const header = place === "header" ? [[name, text.replace(/[^\x20-\x7e]/g, "?")] as const] : [];
        return {
          to: "gateway" as const,
          method,
          path: pathWith(place === "path" ? name : "", text) + query,
          headers: [authorization, ...header],
        };
      }),
    );
  });
}
