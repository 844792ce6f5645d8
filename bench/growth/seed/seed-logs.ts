import type { SystemDatabases } from "../../../test/chaos/system/system-databases.ts";
import type { GrownOrganization } from "./seed-organizations.ts";

export interface GrownLog {
  readonly workspaceId: string;
  readonly organizationId: string;
  readonly lines: number;
}

/** Writes a log of each length for a workspace of an organization of its own. */
export async function seedLogs(
  { of }: SystemDatabases,
  organizations: readonly GrownOrganization[],
  lengths: readonly number[],
): Promise<GrownLog[]> {
  const logs = lengths.map((lines, index) => {
    const organization = organizations[index];
    return { workspaceId: organization?.workspaceIds[0] ?? "", organizationId: organization?.id ?? "", lines };
  });
  for (const { workspaceId, organizationId, lines } of logs) {
    // In parts, so that no statement takes minutes.
    for (let from = 0; from < lines; from += PART) {
      await of.workspace(insertLines, [workspaceId, organizationId, from, Math.min(PART, lines - from), lines]);
    }
  }
  await of.workspace("vacuum (analyze) workspace.activity_events");
  return logs;
}

const PART = 500_000;

// Writes lines with 24 sentences of the service in turn: `unassigned` is in one of 24 lines, a rare one in 20,000.
const insertLines = `
  insert into workspace.activity_events
    (id, workspace_id, organization_id, owner, action, severity, description, acted_upon, acted_upon_kind, created_at)
  select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7'
      || substr(replace(gen_random_uuid()::text, '-', ''), 14))::uuid,
    $1::uuid, $2::uuid, '', 'update', 'success',
    case when n % 20000 = 7 then 'A rare sentence' when n % 24 = 1 then 'Unassigned a team' else 'Updated the workspace ' || n % 24 end,
    $1::uuid, 'workspace', at
  from (
    select n, now() - ($5::integer - n) * interval '100 milliseconds' as at
    from generate_series($3::integer + 1, $3::integer + $4::integer) n
  ) numbered`;
