import { expect, test } from "@jest/globals";
import { judgeTried } from "./judge-tried.ts";

const seen = (status: number, code: string) => ({ status, headers: "{}", body: `{"code":"${code}"}` });
const missing = seen(404, "TEAM_NOT_FOUND");

test.each([
  ["the same refusal", "GetTeam id", missing, missing, undefined],
  ["served", "GetTeam id", seen(200, ""), missing, "served"],
  ["another refusal", "GetTeam id", seen(403, "PERMISSION_DENIED"), missing, "different"],
  [
    "the same refusal of the form",
    "GetTeam id",
    seen(400, "INVALID_PARAMETER"),
    seen(400, "INVALID_PARAMETER"),
    "refused for its form",
  ],
  ["a user who may be invited", "CreateInvitation userId", seen(201, ""), seen(404, "USER_NOT_FOUND"), undefined],
  ["an invitation of an unknown user", "CreateInvitation userId", seen(201, ""), seen(201, ""), "not served"],
])("%s", (_case, field, foreign, other, wrong) => {
  const service = field.startsWith("CreateInvitation") ? "InvitationService" : "TeamService";
  const found = judgeTried({ name: `identity.v1.${service}/${field} RPC`, foreign, missing: other });
  expect(found).toEqual(wrong === undefined ? [] : [expect.stringContaining(`: ${wrong}: `)]);
});
