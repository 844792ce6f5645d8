import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { WorkspaceSchema } from "@cloud/proto/workspace/v1/records_pb";
import { expect, test } from "@jest/globals";
import { recordToProto } from "./record-to-proto.ts";

const toProto = recordToProto(WorkspaceSchema);
const at = new Date("2026-01-02T03:04:05.678Z");
const row = {
  id: "1",
  organization_id: "2",
  name: "a",
  description: "",
  owner: null,
  metadata: { key: [1, null] },
  created_at: at,
  updated_at: at,
  deleted_at: null,
  etag: '"3"',
};

test("fields have the values of the columns with their names; null is left out", () => {
  const { id, organization_id: organizationId, name, description, metadata, etag } = row;
  const [createdAt, updatedAt] = [timestampFromDate(at), timestampFromDate(at)];
  const fields = { id, organizationId, name, description, metadata, createdAt, updatedAt, etag };
  expect(toProto(row)).toEqual(create(WorkspaceSchema, fields));
});

test("other columns are not sent", () => {
  const token = { ...row, digest: "secret" };
  expect(toProto(token)).toEqual(toProto(row));
});

test("a row without a column is no row of the message", () => {
  const { etag: _, ...incomplete } = row;
  // @ts-expect-error: the column etag
  expect(toProto(incomplete).etag).toBeUndefined();
});
