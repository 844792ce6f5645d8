/** The fields that records of all kinds have; a kind adds its own. */
export interface OwnedRecord {
  readonly id: string;
  readonly organizationId: string;
}

interface Selection {
  readonly organizationId: string;
  readonly ids: readonly string[];
  readonly assigned: boolean;
}

/** Returns the ids among `ids` that are in the table, as the look-ups of an owner's directory do. */
export function recordsAmong<R>(table: ReadonlyMap<string, R>, ids: readonly string[]): R[] {
  return ids.flatMap((id) => table.get(id) ?? []);
}

/** Returns the first page of the organization's records that are, or are not, among the ids. */
export function selectRecords<R extends OwnedRecord>(
  table: ReadonlyMap<string, R>,
  { organizationId, ids, assigned }: Selection,
) {
  const records = [...table.values()].filter(
    (record) => record.organizationId === organizationId && ids.includes(record.id) === assigned,
  );
  return { page: 0, pageSize: 25, totalCount: records.length, records };
}
