import { joinTestStack } from "@cloud/local-stack/test-stack";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { type RestClients, restClients } from "./rest.ts";

// A case of test/cases judges one reply. Here the replies of several requests about one record are compared.

let as: RestClients;
let organizationId: string;
beforeAll(async () => {
  const { demo } = await joinTestStack();
  as = restClients(demo);
  organizationId = demo.organizations[0]?.id ?? "";
});

async function create(path: string) {
  const { body, headers } = await as.orgAdmin.post(path, { organizationId, name: "before" });
  return { record: body, headers, place: `${path}/${body.id}` };
}

describe.each(["/workspaces", "/environments", "/connections", "/designs", "/views", "/identity/teams"])(
  "a record of %s",
  (path) => {
    test("is read as it was created, with equal times", async () => {
      const { record, headers, place } = await create(path);
      expect(record.updatedAt).toBe(record.createdAt);
      expect([headers.get("location"), headers.get("etag")]).toEqual([`/api${place}`, record.etag]);
      expect((await as.orgAdmin.get(place)).body).toEqual(record);
    });

    test("has another update time and entity tag after an update, and is read as it was updated", async () => {
      const { record, place } = await create(path);
      const { body: updated } = await as.orgAdmin.put(place, { name: "after", description: record.description });
      expect(updated).toEqual({ ...record, name: "after", updatedAt: expect.any(String), etag: expect.any(String) });
      expect(Date.parse(updated.updatedAt)).toBeGreaterThanOrEqual(Date.parse(record.updatedAt));
      expect(updated.etag).not.toBe(record.etag);
      expect((await as.orgAdmin.get(place)).body).toEqual(updated);
    });
  },
);

test.each(["/workspaces", "/environments"])("a refused request leaves a record of %s as it is", async (path) => {
  const { record, place } = await create(path);
  const change = { name: "after" };
  const replies = [
    await as.orgAdmin.put(place),
    await as.orgAdmin.put(place, null),
    await as.orgAdmin.put(place, { name: "after", description: "x".repeat(256) }),
    await as.orgAdmin.put(place, { ...change, etag: '"outdated"' }),
    await as.user.put(place, change),
    await as.outsider.put(place, change),
    await as.anonymous.put(place, change),
    await as.user.delete(place),
    await as.outsider.delete(place),
  ];
  expect(replies.map(({ status }) => status)).toEqual([400, 400, 500, 412, 403, 404, 401, 403, 404]);
  expect((await as.orgAdmin.get(place)).body).toEqual(record);
});
