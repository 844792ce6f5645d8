import type { SystemDatabases } from "../system/system-databases.ts";

export async function allPublished({ query }: SystemDatabases): Promise<boolean> {
  const waiting = await query(`
    select from environment.outbox where published_at is null
    union all
    select from identity.outbox where published_at is null
  `);
  return waiting.length === 0;
}

/** Returns the sequences after `since` of the deletions that the workspace service has not applied. */
export async function unappliedSequences({ query }: SystemDatabases, since: number): Promise<number[]> {
  const rows = await query<{ sequence: string }>(
    `
    select stream_sequence as sequence
    from (
      select id, subject, stream_sequence from environment.outbox
      union all
      select id, subject, stream_sequence from identity.outbox
    ) event
    where subject in ('cloud.v1.environment.environment.deleted', 'cloud.v1.identity.team.deleted')
      and stream_sequence > $1
      and not exists (select from workspace.inbox where event_id = event.id::text)
  `,
    [since],
  );
  return rows.map(({ sequence }) => Number(sequence));
}
