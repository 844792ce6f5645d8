import { create } from "@bufbuild/protobuf";
import { timestampToProto } from "@cloud/contract";
import { type Curriculum, CurriculumSchema } from "@cloud/proto/academy/v1/curriculum_service_pb";
import type { CurriculumRow } from "./curriculum-sql.ts";

/** Converts a row to its API message. */
export function curriculumToProto(row: CurriculumRow): Curriculum {
  return create(CurriculumSchema, {
    id: row.id,
    orgId: row.organization_id,
    title: row.title,
    description: row.description,
    type: row.type,
    level: row.level,
    visibility: row.visibility,
    status: row.status,
    slug: row.slug,
    registrationCount: row.registration_count,
    createdAt: timestampToProto(row.created_at),
    updatedAt: timestampToProto(row.updated_at),
    // A registration changes the record, but not its row.
    etag: `${row.etag.slice(0, -1)}.${row.registration_count}"`,
  });
}
