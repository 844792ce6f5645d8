import { oneRow, type Sql, sql } from "@cloud/postgres";

/** Returns the accepted installation of a peer; `seen` becomes it when there is none yet. */
export async function selectOrInsertPeerInstallation(db: Sql, peer: string, seen: string): Promise<string> {
  const insert = sql`
    insert into peer_installations (peer, installation_id)
    values ($1, $2)
    on conflict (peer) do nothing`;
  await db.query(insert, [peer, seen]);
  const select = sql`
    select installation_id as id
    from peer_installations
    where peer = $1`;
  return oneRow(await db.query<{ id: string }>(select, [peer])).id;
}

/** Accepts an installation of a peer, in place of an earlier one. */
export async function upsertPeerInstallation(db: Sql, peer: string, accepted: string): Promise<void> {
  const text = sql`
    insert into peer_installations (peer, installation_id)
    values ($1, $2)
    on conflict (peer) do update
    set installation_id = excluded.installation_id, accepted_at = now()`;
  await db.query(text, [peer, accepted]);
}
