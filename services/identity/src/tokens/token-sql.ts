import type { ListParameters, TokenId, UserId } from "@cloud/contract";
import { oneRow, type Page, type Sql, selectPage, sql, type Tx } from "@cloud/postgres";
import { endedNow, liveCount } from "@cloud/service";

export interface TokenRow {
  id: TokenId;
  user_id: UserId;
  name: string;
  hint: string;
  created_at: Date;
  updated_at: Date;
  revoked_at: Date | null;
  etag: string;
}

const columns = sql`id, user_id, name, hint, created_at, updated_at, revoked_at, etag`;

export interface NewToken {
  readonly id: TokenId;
  readonly userId: UserId;
  readonly name: string;
  readonly digest: Buffer;
  readonly hint: string;
}

export async function insertToken(db: Sql, token: NewToken): Promise<TokenRow> {
  const { id, userId, name, digest, hint } = token;
  const result = await db.query<TokenRow>(
    sql`
      insert into tokens (id, user_id, name, digest, hint)
      values ($1, $2, $3, $4, $5)
      returning ${columns}`,
    [id, userId, name, digest, hint],
  );
  return oneRow(result);
}

/** Returns a page of a user's tokens, revoked ones included. */
export function selectTokensOf(db: Sql, userId: UserId, query: ListParameters): Promise<Page<TokenRow>> {
  return selectPage<TokenRow>(db, {
    columns,
    from: sql`tokens`,
    where: sql`user_id = $1`,
    params: [userId],
    count: liveCount(sql`list = 'tokens'`, sql`= $1`),
    searchColumns: [sql`name`],
    ...query,
  });
}

/** Returns the token of the user, or of any user, without a lock. */
export async function selectToken(db: Sql, userId: UserId | "anyUser", id: TokenId): Promise<TokenRow | undefined> {
  return (await db.query<TokenRow>(selectByOwner, [id, userId === "anyUser" ? null : userId])).rows[0];
}

/** Returns the token of the user, or of any user, and locks it FOR UPDATE until `tx` ends. */
export async function selectTokenForUpdate(
  tx: Tx,
  userId: UserId | "anyUser",
  id: TokenId,
): Promise<TokenRow | undefined> {
  const text = sql`
    ${selectByOwner}
    for update`;
  return (await tx.query<TokenRow>(text, [id, userId === "anyUser" ? null : userId])).rows[0];
}

const selectByOwner = sql`
    select ${columns}
    from tokens
    where id = $1 and ($2::uuid is null or user_id = $2)`;

/** Revokes a token; the caller holds the lock of `selectTokenForUpdate`. */
export async function updateTokenRevoked(tx: Tx, id: TokenId): Promise<void> {
  await tx.query(
    sql`
      update tokens
      set ${endedNow(sql`revoked_at`)}
      where id = $1`,
    [id],
  );
}
