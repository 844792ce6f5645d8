import pg from "pg";

/** The ids of a workspace and of a team. */
export type Pair = readonly [string, string];

/** Sets the links of teams to workspaces between rounds, in the schema of a contestant. */
export interface Links {
  deleteAll(schema: Schema): Promise<void>;
  /** Links the pairs. */
  insertAll(schema: Schema): Promise<void>;
  /** Whether every event of ours is published. */
  allPublished(): Promise<boolean>;
  close(): Promise<void>;
}

export type Schema = "workspace" | "monolith";

export async function openLinks(databaseUrl: string, pairs: readonly Pair[]): Promise<Links> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  const deleteAll = async (schema: Schema) => {
    await client.query(deleteTeams[schema]);
    // Otherwise the next round would read through the dead rows of all before.
    await client.query(vacuum[schema]);
  };
  return {
    deleteAll,
    insertAll: async (schema) => {
      await deleteAll(schema);
      await client.query(insertTeams[schema], [pairs.map(([workspace]) => workspace), pairs.map(([, team]) => team)]);
    },
    allPublished: async () => {
      const { rowCount } = await client.query("select from workspace.outbox where published_at is null limit 1");
      return rowCount === 0;
    },
    close: () => client.end(),
  };
}

const deleteTeams: Readonly<Record<Schema, string>> = {
  workspace: "delete from workspace.assignments where kind = 'team'",
  monolith: "delete from monolith.assignments where kind = 'team'",
};

const vacuum: Readonly<Record<Schema, string>> = {
  workspace: "vacuum workspace.assignments",
  monolith: "vacuum monolith.assignments",
};

const pairsAsRows = "select gen_random_uuid(), w, 'team', t from unnest($1::uuid[], $2::uuid[]) as pairs (w, t)";
const insertTeams: Readonly<Record<Schema, string>> = {
  workspace: `insert into workspace.assignments (id, workspace_id, kind, resource_id) ${pairsAsRows}`,
  monolith: `insert into monolith.assignments (id, workspace_id, kind, resource_id) ${pairsAsRows}`,
};
