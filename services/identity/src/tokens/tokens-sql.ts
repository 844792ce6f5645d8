import { type Page, type Sql, selectPage } from "@cloud/postgres";
import type { ListParameters, TokenId, UserId } from "@cloud/rpc";

export interface TokenRow {
  id: TokenId;
  user_id: UserId;
  name: string;
  hint: string;
  created_at: Date;
  updated_at: Date;
  revoked_at: Date | null;
}

const COLUMNS = "id, user_id, name, hint, created_at, updated_at, revoked_at";

export interface NewToken {
  readonly id: TokenId;
  readonly user: UserId;
  readonly name: string;
  readonly digest: Buffer;
  readonly hint: string;
}

export async function insertToken(sql: Sql, token: NewToken): Promise<TokenRow> {
  const { rows } = await sql.query<TokenRow>(
    "insert into tokens (id, user_id, name, digest, hint) values ($1, $2, $3, $4, $5) returning " + COLUMNS,
    [token.id, token.user, token.name, token.digest, token.hint],
  );
  return rows[0] as TokenRow;
}

/** A user's tokens, the revoked ones too. */
export function selectTokenPage(sql: Sql, user: UserId, list: ListParameters): Promise<Page<TokenRow>> {
  return selectPage<TokenRow>(sql, {
    columns: COLUMNS,
    from: "tokens",
    where: "user_id = $1",
    params: [user],
    searchColumns: ["name"],
    ...list,
  });
}

/** Revokes a token of the user, or of anybody; one that is revoked keeps its time. False when there is no such token. */
export async function revokeTokenOf(sql: Sql, user: UserId | "anybody", id: TokenId): Promise<boolean> {
  const { rowCount } = await sql.query(
    "update tokens set revoked_at = coalesce(revoked_at, now())," +
      " updated_at = case when revoked_at is null then now() else updated_at end" +
      " where id = $1 and ($2::uuid is null or user_id = $2)",
    [id, user === "anybody" ? null : user],
  );
  return rowCount === 1;
}
