import type { ListParameters } from "@cloud/access/lists";
import type { UserId } from "@cloud/access/values";
import { oneRow, type Reader, sql, statement, type Tx } from "@cloud/postgres";
import { type Page, selectPage } from "@cloud/postgres/lists";
import { endedNow, liveCount } from "@cloud/service/records";
import type { TokenId } from "../ids.ts";

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

interface NewToken {
  readonly id: TokenId;
  readonly userId: UserId;
  readonly name: string;
  readonly digest: Buffer;
  readonly hint: string;
}

const tokenInsertion = statement<TokenRow>`
  insert into tokens (id, user_id, name, digest, hint)
  values ($1, $2, $3, $4, $5)
  returning ${columns}`;

export async function insertToken(tx: Tx, token: NewToken): Promise<TokenRow> {
  const { id, userId, name, digest, hint } = token;
  const result = await tx.query(tokenInsertion, [id, userId, name, digest, hint]);
  return oneRow(result);
}

/** Returns a page of a user's tokens, revoked ones included. */
export function selectTokensOf(db: Reader, userId: UserId, query: ListParameters): Promise<Page<TokenRow>> {
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

const byOwner = sql`
  select ${columns}
  from tokens
  where id = $1 and ($2::uuid is null or user_id = $2)`;
const selectByOwner = statement<TokenRow>`${byOwner}`;

/** Returns the token of the user, or of any user, without a lock. */
export async function selectToken(db: Reader, userId: UserId | "anyUser", id: TokenId): Promise<TokenRow | undefined> {
  return (await db.read(selectByOwner, [id, userId === "anyUser" ? null : userId])).rows[0];
}

const tokenForUpdate = statement<TokenRow>`
  ${byOwner}
  for update`;

/** Returns the token of the user, or of any user, and locks it FOR UPDATE until `tx` ends. */
export async function selectTokenForUpdate(
  tx: Tx,
  userId: UserId | "anyUser",
  id: TokenId,
): Promise<TokenRow | undefined> {
  return (await tx.query(tokenForUpdate, [id, userId === "anyUser" ? null : userId])).rows[0];
}

const tokenRevokedUpdate = statement`
  update tokens
  set ${endedNow(sql`revoked_at`)}
  where id = $1`;

/** Revokes a token; the caller holds the lock of `selectTokenForUpdate`. */
export async function updateTokenRevoked(tx: Tx, id: TokenId): Promise<void> {
  await tx.query(tokenRevokedUpdate, [id]);
}
