import type { ListParameters } from "@cloud/access/lists";
import { type Reader, type SqlText, sql } from "@cloud/postgres";
import { selectConnectionsOf } from "../../../../services/environment/src/connections/sql.ts";
import { selectCredentialsOf } from "../../../../services/environment/src/credentials/sql.ts";
import { selectEnvironmentsOf } from "../../../../services/environment/src/environments/sql.ts";
import { selectCurriculaOf } from "../../../../services/identity/src/curricula/sql.ts";
import { selectMembersOf } from "../../../../services/identity/src/members/sql.ts";
import { selectTeamsOf } from "../../../../services/identity/src/teams/sql.ts";
import { selectActivities } from "../../../../services/workspace/src/activity/sql.ts";
import { selectItemsOf } from "../../../../services/workspace/src/library/pages-sql.ts";
import { designs, views } from "../../../../services/workspace/src/library/sql.ts";
import { selectWorkspacesOf } from "../../../../services/workspace/src/workspaces/sql.ts";
import type { Service } from "../schemas/service-schemas.ts";
import { idOf } from "./seeds.ts";

export type Query = Omit<ListParameters, "order"> & { readonly order: Order };
type Order = ListParameters["order"] | { readonly column: "title"; readonly direction: "asc" | "desc" };
type Column = Order["column"];
type Result = Promise<{
  readonly totalCount: number;
  readonly totalCountCapped?: true;
  readonly rows: readonly unknown[];
}>;

export interface LargeList {
  readonly name: string;
  readonly columns: readonly Column[];
  /** Fills the table with 100,000 rows of organization 7, and 1,000 of another one. */
  readonly seed: SqlText;
  readonly one: (db: Reader, query: Query) => Result;
  /** The list of two organizations; undefined if there is no such list. */
  readonly all?: (db: Reader, query: Query) => Result;
}

export const ROWS = 100_000;
const home = idOf<never>(7);
const both = [idOf<never>(7), idOf<never>(8)];
const dates = ["created_at", "updated_at"] as const;
const asList = (query: Query) => query as ListParameters;
const visible = (query: Query) => ({ ...asList(query), visibility: [] });

/**
 * The nth row. All names contain `record`; of organization 7, each tenth `tenth`, and ten `zäbra`; orders by name and
 * by date differ, as do those by both dates.
 */
const rows = sql`
  select lpad(to_hex(n), 32, '0')::uuid as id, lpad(to_hex(7 + (n > 100000)::int), 32, '0')::uuid as organization_id,
    'Record ' || (n * 7 % 100003) || case when n % 10 = 3 and n <= 100000 then ' Tenth' else '' end
      || case when n % 10000 = 77 and n <= 100000 then ' ZÄBRA' else '' end as name,
    'of the series ' || n % 100 as description,
    now() - n * interval '1 second' as created_at, now() - (n * 13 % 100003) * interval '1 second' as updated_at
  from generate_series(1, 101000) n`;

const insert = (table: SqlText, columns = sql``, values = sql``) => sql`
  insert into ${table} (id, organization_id, name, description, created_at, updated_at${columns})
  select id, organization_id, name, description, created_at, updated_at${values}
  from (${rows}) rows`;

export const organizations = sql`
  insert into organizations (id)
  select lpad(to_hex(n), 32, '0')::uuid
  from generate_series(7, 8) n`;

export const largeLists: Readonly<Record<Service, readonly LargeList[]>> = {
  workspace: [
    {
      name: "workspaces",
      columns: dates,
      seed: insert(sql`workspaces`, sql`, owner`, sql`, ''`),
      one: (db, query) => selectWorkspacesOf(db, [home], asList(query)),
      all: (db, query) => selectWorkspacesOf(db, both, asList(query)),
    },
    {
      name: "designs",
      columns: dates,
      seed: insert(sql`designs`, sql`, owner, visibility`, sql`, '', 'public'`),
      one: (db, query) => selectItemsOf(db, designs, [home], visible(query)),
      all: (db, query) => selectItemsOf(db, designs, both, visible(query)),
    },
    {
      name: "views",
      columns: dates,
      seed: insert(sql`views`, sql`, owner, visibility`, sql`, '', 'public'`),
      one: (db, query) => selectItemsOf(db, views, [home], visible(query)),
      all: (db, query) => selectItemsOf(db, views, both, visible(query)),
    },
    {
      name: "activity_events",
      columns: ["created_at"],
      seed: sql`
        insert into activity_events
          (id, workspace_id, organization_id, owner, action, severity, description, acted_upon, acted_upon_kind, created_at)
        select id, organization_id, organization_id, '', 'update', 'success',
          'Record ' || row_number() over (order by id) % 100
            || case when name like '% Tenth%' then ' Tenth' else '' end
            || case when name like '% ZÄBRA%' then ' ZÄBRA' else '' end,
          '', '', created_at
        from (${rows}) rows`,
      one: (db, query) => selectActivities(db, home, asList(query)) as unknown as Result,
    },
  ],
  environment: [
    {
      name: "environments",
      columns: dates,
      seed: insert(sql`environments`),
      one: (db, query) => selectEnvironmentsOf(db, [home], asList(query)),
      all: (db, query) => selectEnvironmentsOf(db, both, asList(query)),
    },
    {
      name: "connections",
      columns: [...dates, "name"],
      seed: insert(sql`connections`, sql`, kind, type, status`, sql`, '', '', ''`),
      one: (db, query) => selectConnectionsOf(db, [home], asList(query)),
      all: (db, query) => selectConnectionsOf(db, both, asList(query)),
    },
    {
      name: "credentials",
      columns: dates,
      seed: sql`
        insert into credentials (id, organization_id, name, type, created_at, updated_at)
        select id, organization_id, name, '', created_at, updated_at
        from (${rows}) rows`,
      one: (db, query) => selectCredentialsOf(db, [home], asList(query)),
      all: (db, query) => selectCredentialsOf(db, both, asList(query)),
    },
  ],
  identity: [
    {
      name: "teams",
      columns: dates,
      seed: insert(sql`teams`),
      one: (db, query) => selectTeamsOf(db, home, asList(query)),
      all: (db, query) => selectTeamsOf(db, "all", asList(query)),
    },
    {
      name: "curricula",
      columns: [...dates, "title"],
      seed: sql`
        insert into curricula (id, organization_id, title, description, visibility, slug, created_at, updated_at)
        select id, organization_id, name, description, 'public', id, created_at, updated_at
        from (${rows}) rows`,
      one: (db, query) => selectCurriculaOf(db, home, query) as unknown as Result,
      all: (db, query) => selectCurriculaOf(db, "all", query) as unknown as Result,
    },
    {
      name: "members",
      columns: dates,
      seed: sql`
        with people as (
          insert into users (id, email, first_name, last_name)
          select id, id || '@example.test', name, description
          from (${rows}) rows
        )
        insert into members (organization_id, user_id, name, email, created_at, updated_at)
        select organization_id, id, name || ' ' || description, id || '@example.test', created_at, updated_at
        from (${rows}) rows`,
      one: (db, query) =>
        selectMembersOf(db, home, { userId: home, searchesEmails: false }, asList(query)) as unknown as Result,
    },
  ],
};
