import { TOKEN_PREFIX } from "@cloud/access/principal";
import { refusal } from "@cloud/access/testing";
import { DatabaseUnavailable } from "@cloud/postgres";
import { openTestDatabase, takeStablePort } from "@cloud/testkit";
import { expect, test } from "@jest/globals";
import { authenticateToken } from "../src/authentication/authenticate.ts";

test("a token of another form is refused without the database, which is not there", async () => {
  const url = `postgres://127.0.0.1:${await takeStablePort()}/cloud`;
  const db = openTestDatabase({ url, schema: "identity" });
  const malformed = refusal(authenticateToken(db, "garbage"));
  expect(await malformed).toBe("401 UNAUTHENTICATED: a valid security token is required");
  await expect(authenticateToken(db, TOKEN_PREFIX + "x".repeat(43))).rejects.toThrow(DatabaseUnavailable);
  await db.close();
});
