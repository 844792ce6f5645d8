import { type Page, type Sql, selectPage, type Tx } from "@cloud/postgres";
import type { CurriculumId, ListParameters, OrganizationId, UserId, Visibility } from "@cloud/rpc";

export interface CurriculumRow {
  id: CurriculumId;
  organization_id: OrganizationId;
  title: string;
  description: string;
  type: string;
  level: string;
  visibility: Visibility;
  status: string;
  slug: string;
  registration_count: number;
  created_at: Date;
  updated_at: Date;
}

const COLUMNS =
  "id, organization_id, title, description, type, level, visibility, status, slug, created_at, updated_at," +
  " (select count(*)::int from registrations where curriculum_id = curricula.id) as registration_count";

/** Of a live organization: a deleted one has no curricula, though their rows remain. */
const LIVE =
  "exists (select 1 from organizations where organizations.id = curricula.organization_id and organizations.deleted_at is null)";

export interface NewCurriculum {
  readonly id: CurriculumId;
  readonly organizationId: OrganizationId;
  readonly title: string;
  readonly description: string;
  readonly type: string;
  readonly level: string;
  readonly visibility: Visibility;
  readonly status: string;
  readonly slug: string;
}

export async function insertCurriculum(tx: Tx, curriculum: NewCurriculum): Promise<CurriculumRow> {
  const { id, organizationId, title, description, type, level, visibility, status, slug } = curriculum;
  const { rows } = await tx.query<CurriculumRow>(
    "insert into curricula (id, organization_id, title, description, type, level, visibility, status, slug)" +
      " values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning " +
      COLUMNS,
    [id, organizationId, title, description, type, level, visibility, status, slug],
  );
  return rows[0] as CurriculumRow;
}

export async function selectCurriculum(sql: Sql, id: CurriculumId): Promise<CurriculumRow | undefined> {
  const text = "select " + COLUMNS + " from curricula where id = $1 and " + LIVE;
  return (await sql.query<CurriculumRow>(text, [id])).rows[0];
}

export function selectCurriculumPage(
  sql: Sql,
  organization: OrganizationId,
  list: ListParameters,
): Promise<Page<CurriculumRow>> {
  return selectPage<CurriculumRow>(sql, {
    columns: COLUMNS,
    from: "curricula",
    where: "organization_id = $1 and " + LIVE,
    params: [organization],
    searchColumns: ["title", "description"],
    ...list,
  });
}

/** The slugs of an organization that are the given one, or it and more. */
export async function selectSlugsFrom(tx: Tx, organization: OrganizationId, slug: string): Promise<string[]> {
  const { rows } = await tx.query<{ slug: string }>(
    "select slug from curricula where organization_id = $1 and starts_with(slug, $2)",
    [organization, slug],
  );
  return rows.map((row) => row.slug);
}

/** Once is as good as twice. */
export async function insertRegistration(tx: Tx, curriculum: CurriculumId, user: UserId): Promise<void> {
  await tx.query("insert into registrations (curriculum_id, user_id) values ($1, $2) on conflict do nothing", [
    curriculum,
    user,
  ]);
}
