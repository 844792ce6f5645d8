import { create } from "@bufbuild/protobuf";
import { ListCurriculaResponseSchema } from "@cloud/proto/academy/v1/curriculum_service_pb";
import {
  CreateWorkspaceRequestSchema,
  GetWorkspaceResponseSchema,
  UpdateWorkspaceRequestSchema,
} from "@cloud/proto/workspace/v1/workspace_service_pb";
import { expect, test } from "@jest/globals";
import { renderJson } from "./render-json.ts";

const at = (seconds: bigint, nanos: number) => ({ seconds, nanos });

test("a record has every field, in order, with milliseconds, and null for an absent time", () => {
  const workspace = {
    id: "1",
    metadata: { a: [1, null], createdAt: "x" },
    createdAt: at(1767323045n, 0),
    updatedAt: at(1767323045n, 999_999_999),
  };
  const reply = create(GetWorkspaceResponseSchema, { workspace });
  expect(
    JSON.stringify(renderJson(GetWorkspaceResponseSchema, reply, GetWorkspaceResponseSchema.field.workspace)),
  ).toBe(
    '{"id":"1","name":"","description":"","organizationId":"","owner":"","metadata":{"a":[1,null],"createdAt":"x"},' +
      '"createdAt":"2026-01-02T03:04:05.000Z","updatedAt":"2026-01-02T03:04:05.999Z","deletedAt":null}',
  );
});

test("a list renders its items the same way, and keeps the JSON names of the proto file", () => {
  const reply = create(ListCurriculaResponseSchema, { total: 1, data: [{ id: "1", registrationCount: 3 }] });
  expect(renderJson(ListCurriculaResponseSchema, reply, undefined)).toMatchObject({
    total: 1,
    data: [{ id: "1", registration_count: 3, slug: "", createdAt: null, updatedAt: null }],
  });
  expect(renderJson(ListCurriculaResponseSchema, create(ListCurriculaResponseSchema), undefined)).toEqual({
    total: 0,
    data: [],
  });
});

test("an absent field with presence is omitted, an absent record is empty", () => {
  expect(renderJson(UpdateWorkspaceRequestSchema, create(UpdateWorkspaceRequestSchema), undefined)).toEqual({ id: "" });
  expect(
    renderJson(
      GetWorkspaceResponseSchema,
      create(GetWorkspaceResponseSchema),
      GetWorkspaceResponseSchema.field.workspace,
    ),
  ).toEqual({});
  expect(
    renderJson(
      CreateWorkspaceRequestSchema,
      create(CreateWorkspaceRequestSchema, { name: "n" }),
      CreateWorkspaceRequestSchema.field.name,
    ),
  ).toBe("n");
});
