import type { DescField, DescMethod } from "@bufbuild/protobuf";
import { taggedRecordOf } from "@cloud/contract";
import type { HandlerContext } from "@connectrpc/connect";

/** Sets the header `etag` of a reply that contains one record with an entity tag, to the same value. */
export function tagReply({ method, responseHeader }: HandlerContext, reply: unknown): void {
  const field = recordOf(method);
  if (field === undefined) return;
  const record = (reply as Readonly<Record<string, { readonly etag?: string } | undefined>>)[field.localName];
  const etag = record?.etag ?? "";
  if (etag !== "") responseHeader.set("etag", etag);
}

const records = new Map<DescMethod, DescField | undefined>();

function recordOf(method: DescMethod): DescField | undefined {
  if (!records.has(method)) records.set(method, taggedRecordOf(method));
  return records.get(method);
}
