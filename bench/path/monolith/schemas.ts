// The schemas of Fastify: it validates with them, and compiles a serializer for each response.
const text = { type: "string" };
const id = { type: "string", format: "uuid" };
const record = { id: text, name: text, description: text, organizationId: text };
const times = { createdAt: text, updatedAt: text, deletedAt: { type: ["string", "null"] } };
const metadata = { type: "object", additionalProperties: true };
const object = (properties: object) => ({ type: "object", properties });

const etag = text;
const workspace = object({ ...record, owner: text, metadata, ...times, etag });
const environment = object({ ...record, platformProvisioned: { type: "boolean" }, metadata, ...times, etag });
const assignment = object({ id: text, workspaceId: text, teamId: text, ...times });
const count = { type: "integer" };
const page = { page: count, pageSize: count, totalCount: count };

const params = (...names: readonly string[]) => ({
  type: "object",
  required: names,
  properties: Object.fromEntries(names.map((name) => [name, id])),
});
const paging = {
  page: { type: "integer", minimum: 0, default: 0 },
  pageSize: { type: "integer", minimum: 1, maximum: 100, default: 25 },
};

export const schemas = {
  get: { params: params("id"), response: { 200: workspace } },
  list: {
    querystring: { type: "object", required: ["orgId"], properties: { orgId: id, ...paging } },
    response: { 200: object({ ...page, workspaces: { type: "array", items: workspace } }) },
  },
  environments: {
    params: params("id"),
    querystring: { type: "object", properties: paging },
    response: { 200: object({ ...page, environments: { type: "array", items: environment } }) },
  },
  create: {
    body: {
      type: "object",
      required: ["organizationId", "name"],
      properties: {
        organizationId: id,
        name: { type: "string", minLength: 1, maxLength: 255 },
        description: { type: "string", maxLength: 255, default: "" },
        metadata,
      },
    },
    response: { 201: workspace },
  },
  assign: { params: params("id", "teamId"), response: { 200: assignment } },
  remove: { params: params("id", "teamId") },
};
