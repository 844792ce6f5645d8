import { type Database, type SqlText, sql, type Tx } from "@cloud/postgres";
import { execute } from "@cloud/testkit";

/** Renders what the schema of `db` contains, from the catalog: equal schemas have equal texts. */
export async function renderSchema(db: Database | Tx): Promise<string> {
  const parts = [functions, sequences, tables, views, indexes, triggers];
  const found = await Promise.all(parts.map((part) => execute(db, part)));
  const statements = found.flatMap(({ rows }) => rows.map(({ text }) => text + ";\n"));
  return HEAD + statements.join("\n");
}

const HEAD = `-- The schema after all migrations, rendered from the catalog. After a new migration:
-- UPDATE_DOCS=1 npm test -- packages/service/test/schemas

`;

const own = sql`
  select oid
  from pg_namespace
  where nspname = current_schema()`;

/** Removes the schema from the definitions of indexes and functions: the search path makes it redundant. */
const unqualified = (text: SqlText) => sql`replace(${text}, current_schema() || '.', '')`;

const functions = sql`
  select rtrim(${unqualified(sql`pg_get_functiondef(oid)`)}, e'\n') as text
  from pg_proc
  where pronamespace = (${own})
  order by proname, oid`;

const sequences = sql`
  select format('create sequence %I as %s', relname, format_type(seqtypid, null)) as text
  from pg_sequence
  join pg_class on pg_class.oid = seqrelid
  where relnamespace = (${own})
  order by relname`;

// Constraints of the type n are "not null", which is rendered with its column.
const tables = sql`
  select format(
      e'create %stable %I (\n  %s\n)',
      case when relpersistence = 'u' then 'unlogged ' end,
      relname,
      array_to_string(columns || constraints, e',\n  ')
    ) as text
  from pg_class
  cross join lateral (
    select array_agg(
      concat_ws(
        ' ',
        quote_ident(attname),
        format_type(atttypid, atttypmod),
        case when attcollation <> typcollation then 'collate ' || quote_ident(collname) end,
        case when attnotnull then 'not null' end,
        'default ' || pg_get_expr(adbin, adrelid)
      )
      order by attnum
    ) as columns
    from pg_attribute
    join pg_type on pg_type.oid = atttypid
    left join pg_collation on pg_collation.oid = attcollation
    left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where attrelid = pg_class.oid and attnum > 0 and not attisdropped
  ) of_columns
  cross join lateral (
    select coalesce(
      array_agg(format('constraint %I %s', conname, pg_get_constraintdef(oid)) order by contype desc, conname),
      '{}'
    ) as constraints
    from pg_constraint
    where conrelid = pg_class.oid and contype <> 'n'
  ) of_constraints
  where relnamespace = (${own}) and relkind = 'r'
  order by relname`;

const views = sql`
  select format(e'create view %I as\\n%s', relname, rtrim(${unqualified(sql`pg_get_viewdef(oid)`)}, ';')) as text
  from pg_class
  where relnamespace = (${own}) and relkind = 'v'
  order by relname`;

// Indexes of primary keys and unique constraints are rendered with their table.
const indexes = sql`
  select ${unqualified(sql`pg_get_indexdef(indexrelid)`)} as text
  from pg_index
  join pg_class on pg_class.oid = indexrelid
  where relnamespace = (${own})
    and not exists (
      select
      from pg_constraint
      where conindid = indexrelid and contype in ('p', 'u', 'x')
    )
  order by indrelid::regclass::text, relname`;

const triggers = sql`
  select ${unqualified(sql`pg_get_triggerdef(t.oid)`)} as text
  from pg_trigger t
  join pg_class on pg_class.oid = t.tgrelid
  where relnamespace = (${own}) and not tgisinternal
  order by relname, tgname`;
