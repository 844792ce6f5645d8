import { create, type JsonObject, toBinary } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { sql } from "@cloud/postgres";
import { ListEnvironmentsResponseSchema } from "@cloud/proto/environment/v1/environment_service_pb";
import { ListWorkspaceEventsResponseSchema } from "@cloud/proto/workspace/v1/workspace_service_pb";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { pageEncoder } from "./page-encoder.ts";

const columns = sql`
  id, organization_id, name, description, platform_provisioned, metadata, created_at, updated_at, deleted_at, etag`;
const encode = pageEncoder(ListEnvironmentsResponseSchema, columns);

const text = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string({ minLength: 60, maxLength: 70 }),
  fc.string({ unit: "grapheme", minLength: 120, maxLength: 200 }),
);
const json = fc.jsonValue({ stringUnit: "grapheme" });
const time = fc.date({ min: new Date("0100-01-01"), max: new Date("9999-12-31"), noInvalidDate: true });
const record = fc.record({
  id: fc.uuid(),
  organizationId: fc.uuid(),
  name: text,
  description: text,
  platformProvisioned: fc.boolean(),
  metadata: fc.oneof(
    fc.constant("{}"),
    fc.dictionary(text, json).map((object) => JSON.stringify(object)),
  ),
  createdAt: time,
  updatedAt: fc.oneof(time, fc.constant(new Date(0))),
  deletedAt: fc.option(time),
  etag: fc.oneof(fc.constant(""), fc.constant('"9f2c6b1e4d0a7c35"')),
});
const count = fc.oneof(fc.constant(0), fc.nat(), fc.constant(2 ** 31 - 1));
type Generated = typeof record extends fc.Arbitrary<infer Value> ? Value : never;

/** Returns the row as Postgres prints it. */
function rowOf(each: Generated): (string | null)[] {
  const { id, organizationId, name, description, platformProvisioned, metadata, deletedAt } = each;
  const provisioned = platformProvisioned ? "t" : "f";
  const times = [each.createdAt, each.updatedAt, deletedAt].map((at) => at && printed(at));
  return ["9", "0", "t", id, organizationId, name, description, provisioned, metadata, ...times, each.etag];
}

const printed = (at: Date) => at.toISOString().replace("T", " ").replace("Z", "+00");

const messageOf = ({ metadata, createdAt, updatedAt, deletedAt, ...same }: Generated) => ({
  ...same,
  metadata: JSON.parse(metadata) as JsonObject,
  createdAt: timestampFromMs(createdAt.getTime()),
  updatedAt: timestampFromMs(updatedAt.getTime()),
  ...(deletedAt !== null && { deletedAt: timestampFromMs(deletedAt.getTime()) }),
});

test("encodes every page as the library does", () => {
  fc.assert(
    fc.property(fc.array(record, { maxLength: 30 }), count, count, count, (records, page, pageSize, totalCount) => {
      const environments = records.map(messageOf);
      const reply = create(ListEnvironmentsResponseSchema, { page, pageSize, totalCount, environments });
      const { bytes } = encode({ page, pageSize }, { totalCount, rows: records.map(rowOf) });
      expect(Buffer.from(bytes)).toEqual(Buffer.from(toBinary(ListEnvironmentsResponseSchema, reply)));
    }),
  );
});

test("encodes that the total is capped", () => {
  const total = { totalCount: 10_000, totalCountCapped: true } as const;
  const reply = create(ListEnvironmentsResponseSchema, total);
  const { bytes } = encode({ page: 0, pageSize: 0 }, { ...total, rows: [] });
  expect(Buffer.from(bytes)).toEqual(Buffer.from(toBinary(ListEnvironmentsResponseSchema, reply)));
});

test("encodes a text of any length", () => {
  const description = "ä".repeat(3_000_000);
  const [each] = fc.sample(record, 1) as [Generated];
  const { bytes } = encode({ page: 0, pageSize: 1 }, { totalCount: 1, rows: [rowOf({ ...each, description })] });
  const environments = [messageOf({ ...each, description })];
  const reply = create(ListEnvironmentsResponseSchema, { page: 0, pageSize: 1, totalCount: 1, environments });
  expect(Buffer.compare(bytes, toBinary(ListEnvironmentsResponseSchema, reply))).toBe(0);
});

test("refuses columns and replies that it cannot encode", () => {
  expect(() => pageEncoder(ListEnvironmentsResponseSchema, sql`id, name`)).toThrow(
    "no column is named description, as a field of environment.v1.Environment",
  );
  expect(() => pageEncoder(ListWorkspaceEventsResponseSchema, columns)).toThrow(TypeError);
});
