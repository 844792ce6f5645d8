import {
  create,
  type DescField,
  type DescMethodUnary,
  fromJson,
  getOption,
  type JsonObject,
  toBinary,
} from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { http } from "@cloud/proto/google/api/annotations_pb";
import { readOutcome } from "../rpc-fuzz/read-outcome.ts";
import type { WireClient, WireRequest } from "../wire/send-http.ts";
import type { HostileId, SurfaceName } from "./hostile-ids.ts";

export interface HostileCall {
  readonly desc: DescMethodUnary;
  readonly field: DescField;
  readonly id: HostileId;
  /** The other fields, in proto3 JSON. */
  readonly others: JsonObject;
  readonly token: string;
}

/** Returns the status of a REST answer, or the code of a reply by its Connect name. */
export type SendHostile = (call: HostileCall) => Promise<string>;

/** Creates the surfaces by which a hostile id is sent as it is: no client of ours would write one. */
export function hostileSurfaces(
  gateway: WireClient,
  workspace: WireClient,
): Readonly<Record<SurfaceName, SendHostile>> {
  const byRpc = (call: HostileCall, type: string, body: Buffer): WireRequest => ({
    method: "POST",
    path: `/${call.desc.parent.typeName}/${call.desc.name}`,
    headers: [["content-type", type], bearer(call)],
    body,
  });
  return {
    REST: async (call) => String((await gateway.send(restRequest(call))).status),
    "Connect JSON": async (call) => {
      const answer = await workspace.send(byRpc(call, "application/json", jsonOf(call)));
      return readOutcome("connect", answer);
    },
    "gRPC-Web": async (call) => {
      const answer = await workspace.send(byRpc(call, "application/grpc-web+proto", framed(bytesOf(call))));
      return readOutcome("grpc-web", answer);
    },
  };
}

const bearer = ({ token }: HostileCall) => ["authorization", "Bearer " + token] as const;

function restRequest(call: HostileCall): WireRequest {
  const { desc, field, id, others } = call;
  const { pattern, body } = getOption(desc, http);
  const inPath = new Set<string>();
  const path = String(pattern.value).replace(/\{(\w+)\}/g, (_, name: string) => {
    inPath.add(name);
    return name === field.name ? id.path : encodeURIComponent(String(others[jsonNameOf(desc, name)]));
  });
  const base = { method: pattern.case?.toUpperCase() ?? "", path };
  if (body !== "*") return { ...base, headers: [bearer(call)] };
  const free = Object.fromEntries(Object.entries(others).filter(([name]) => !inPath.has(protoNameOf(desc, name))));
  const sent = inPath.has(field.name) ? Buffer.from(JSON.stringify(free)) : jsonOf({ ...call, others: free });
  return { ...base, headers: [["content-type", "application/json"], bearer(call)], body: sent };
}

const jsonNameOf = ({ input }: DescMethodUnary, name: string) =>
  input.fields.find((one) => one.name === name)?.jsonName ?? "";
const protoNameOf = ({ input }: DescMethodUnary, name: string) =>
  input.fields.find((one) => one.jsonName === name)?.name ?? "";

function jsonOf({ field, id, others }: HostileCall): Buffer {
  const head = Buffer.from(JSON.stringify(others).slice(0, -1) + (Object.keys(others).length > 0 ? "," : ""));
  return Buffer.concat([head, Buffer.from(`"${field.jsonName}":`), id.json, Buffer.from("}")]);
}

function bytesOf({ desc, field, id, others }: HostileCall): Uint8Array {
  const known = toBinary(desc.input, fromJson(desc.input, others) ?? create(desc.input));
  const hostile = new BinaryWriter().tag(field.number, WireType.LengthDelimited).bytes(id.bytes).finish();
  return Buffer.concat([known, hostile]);
}

function framed(message: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}
