import type { Visibility } from "@cloud/access/lists";
import type { OrganizationId, UserId } from "@cloud/access/values";
import { oneRow, type Reader, sql, statement, type Tx } from "@cloud/postgres";
import { type ListSource, type Page, selectPage } from "@cloud/postgres/lists";
import { liveCount, searchKeys, USE_ALL_ORGANIZATIONS_INDEX } from "@cloud/service/records";
import type { CurriculumId } from "../ids.ts";
import type { CurriculumListParameters } from "./rules.ts";

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
  etag: string;
}

const columns = sql`
  id, organization_id, title, description, type, level, visibility, status, slug, created_at, updated_at, etag,
  (
    select count(*)::int
    from registrations
    where curriculum_id = curricula.id
  ) as registration_count`;

/** The condition that the organization is live. Its deletion hides its curricula; their rows remain. */
const live = sql`
  exists (
    select 1
    from organizations
    where organizations.id = curricula.organization_id and organizations.deleted_at is null
  )`;

interface NewCurriculum {
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

const curriculumInsertion = statement<CurriculumRow>`
  insert into curricula (id, organization_id, title, description, type, level, visibility, status, slug)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
  returning ${columns}`;

/** Inserts a curriculum. Violates `curricula_slug` if the slug is taken: the caller locks the organization first. */
export async function insertCurriculum(tx: Tx, curriculum: NewCurriculum): Promise<CurriculumRow> {
  const { id, organizationId, title, description, type, level, visibility, status, slug } = curriculum;
  const result = await tx.query(curriculumInsertion, [
    id,
    organizationId,
    title,
    description,
    type,
    level,
    visibility,
    status,
    slug,
  ]);
  return oneRow(result);
}

const selectById = statement<CurriculumRow>`
  select ${columns}
  from curricula
  where id = $1 and ${live}`;

/** Returns the curriculum; undefined if it is unknown or its organization is deleted. */
export async function selectCurriculum(db: Reader, id: CurriculumId): Promise<CurriculumRow | undefined> {
  return (await db.read(selectById, [id])).rows[0];
}

/** Returns a page of the curricula of one live organization, or of all live organizations. */
export function selectCurriculaOf(
  db: Reader,
  scope: "all" | OrganizationId,
  query: CurriculumListParameters,
): Promise<Page<CurriculumRow>> {
  return selectPage<CurriculumRow>(db, { columns, from: sql`curricula`, searchColumns, ...listOf(scope), ...query });
}

const searchColumns = [sql`title`, sql`description`];
const keys = searchKeys(sql`organization_id`, searchColumns);
const isList = sql`list = 'curricula'`;
const liveIds = sql`
  select id
  from organizations
  where deleted_at is null`;

function listOf(scope: "all" | OrganizationId): Pick<ListSource, "where" | "params" | "count" | "searchBy"> {
  if (scope === "all") {
    const count = liveCount(isList, sql`in (${liveIds})`);
    return {
      where: sql`${live} and ${USE_ALL_ORGANIZATIONS_INDEX}`,
      params: [],
      count,
      searchBy: { keys, scope: undefined },
    };
  }
  // Does not refer to a row, so that it is evaluated once.
  const isLive = sql`exists (${liveIds} and id = $1)`;
  const count = liveCount(isList, sql`= $1 and ${isLive}`);
  return { where: sql`organization_id = $1 and ${isLive}`, params: [scope], count, searchBy: { keys, scope: sql`$1` } };
}

const slugsFrom = statement<{ slug: string }>`
  select slug
  from curricula
  where organization_id = $1 and starts_with(slug, $2)`;

/** Returns the slugs in an organization that start with `slug`, the slug itself included. */
export async function selectSlugsFrom(tx: Tx, organizationId: OrganizationId, slug: string): Promise<string[]> {
  const { rows } = await tx.query(slugsFrom, [organizationId, slug]);
  return rows.map((row) => row.slug);
}

const registrationInsertion = statement`
  insert into registrations (curriculum_id, user_id)
  values ($1, $2)
  on conflict do nothing`;

/** Registers a user for a curriculum. Returns false if they were registered already. */
export async function insertRegistration(tx: Tx, curriculumId: CurriculumId, userId: UserId): Promise<boolean> {
  return (await tx.query(registrationInsertion, [curriculumId, userId])).rowCount === 1;
}
