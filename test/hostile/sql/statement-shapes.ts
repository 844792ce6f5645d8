import pg from "pg";

/** The settings of a Postgres that keeps the shape of every statement: the text without its constants. */
export const KEEPS_SHAPES = {
  shared_preload_libraries: "pg_stat_statements",
  "pg_stat_statements.track": "all",
  "pg_stat_statements.max": "20000",
} as const;

export interface Watcher {
  /** Returns the shapes of all statements of the services' roles since the last call. */
  takeShapes(): Promise<Set<string>>;
  /** Returns the shapes of all statements in functions, trigger functions included. */
  shapesOfFunctions(): Promise<Set<string>>;
  /** Returns the rows of all tables that contain a text, by table. */
  rowsWith(text: string): Promise<Record<string, string[]>>;
  /** The names of all tables, functions and roles. */
  names(): Promise<string[]>;
  close(): Promise<void>;
}

const SHAPES = `
  select distinct s.query
  from shapes.pg_stat_statements s
    join pg_roles r on r.oid = s.userid
  where not r.rolsuper`;
const TABLES = `
  select format('%I.%I', table_schema, table_name) as name
  from information_schema.tables
  where table_schema in ('identity', 'environment', 'workspace') and table_type = 'BASE TABLE'`;
const NAMES = `
  select 'relation ' || oid::regclass::text as name from pg_class where relkind in ('r', 'v', 'm')
  union all select 'function ' || oid::regprocedure::text from pg_proc
  union all select 'role ' || rolname from pg_roles`;

/**
 * Postgres keeps the text with its constants, `true` and `null` among them, when the first execution since a reset is
 * of a statement that was prepared before, else with `$n` in their place.
 */
const CONSTANTS = /'(?:[^']|'')*'|\$\d+|\b(?:\d+|true|false|null)\b/gi;

const FUNCTIONS = `
  select prosrc as source
  from pg_proc p
    join pg_namespace n on n.oid = p.pronamespace
  where n.nspname in ('identity', 'environment', 'workspace')`;

/** Postgres keeps the comment where it has put `$1` for the values of a list. */
const LIST = /\(\?(?:, ?\?)*(?: \/\*, \.\.\. \*\/)?\)/g;

/** Returns the shape of a statement as Postgres has kept it, or as its source has it. */
export const shapeOf = (text: string) =>
  text.replaceAll(CONSTANTS, "?").replace(/\s+/g, " ").replace(LIST, "(?)").trim();

/** Cuts a function into its statements as Postgres runs them: without loops, and without variables for results. */
function statementsOf(source: string): string[] {
  const uncommented = source.replace(/--.*$/gm, "");
  const pieces = uncommented.split(/;|\b(?:loop|then|else|begin)\b/i);
  const sql = /\b(?:with|select|insert|update|delete)\b[\s\S]*$/i;
  return pieces
    .flatMap((piece) => sql.exec(piece) ?? [])
    .map((one) => one.replace(/\binto (?!\w+ (?:as|\())\w+\b/i, ""));
}

/** Watches a database as its superuser. */
export async function watchStatements(databaseUrl: string): Promise<Watcher> {
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on("error", () => undefined); // the server may stop first
  await client.connect();
  await client.query("create schema shapes");
  await client.query("create extension pg_stat_statements schema shapes");
  await client.query("select shapes.pg_stat_statements_reset()");
  return {
    takeShapes: async () => {
      const { rows } = await client.query<{ query: string }>(SHAPES);
      await client.query("select shapes.pg_stat_statements_reset()");
      return new Set(rows.map(({ query }) => shapeOf(query)));
    },
    shapesOfFunctions: async () => {
      const { rows } = await client.query<{ source: string }>(FUNCTIONS);
      return new Set(rows.flatMap(({ source }) => statementsOf(source)).map(shapeOf));
    },
    rowsWith: async (text) => {
      const found: Record<string, string[]> = {};
      for (const { name } of (await client.query<{ name: string }>(TABLES)).rows) {
        const { rows } = await client.query<{ row: string }>(
          // biome-ignore lint/plugin: the name is one that Postgres has quoted
          `select t::text as row from ${name} t where t::text like '%' || $1 || '%' order by 1`,
          [text],
        );
        if (rows.length > 0) found[name] = rows.map(({ row }) => row);
      }
      return found;
    },
    names: async () => (await client.query<{ name: string }>(NAMES)).rows.map(({ name }) => name).toSorted(),
    close: () => client.end(),
  };
}
