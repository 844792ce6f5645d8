import { type Database, oneRow, statement } from "@cloud/postgres";

const insertInstallation = statement`
  insert into peer_installations (peer, installation_id)
  values ($1, $2)
  on conflict (peer) do nothing`;

const selectInstallation = statement<{ id: string }>`
  select installation_id as id
  from peer_installations
  where peer = $1`;

/** Returns the accepted installation of a peer; `seen` becomes it when there is none yet. */
export async function selectOrInsertPeerInstallation(db: Database, peer: string, seen: string): Promise<string> {
  await db.transaction((tx) => tx.query(insertInstallation, [peer, seen]));
  return oneRow(await db.read(selectInstallation, [peer])).id;
}

const peerInstallationUpsert = statement`
  insert into peer_installations (peer, installation_id)
  values ($1, $2)
  on conflict (peer) do update
  set installation_id = excluded.installation_id, accepted_at = now()`;

/** Accepts an installation of a peer, in place of an earlier one. */
export async function upsertPeerInstallation(db: Database, peer: string, accepted: string): Promise<void> {
  await db.transaction((tx) => tx.query(peerInstallationUpsert, [peer, accepted]));
}
