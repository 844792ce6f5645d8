import type { Demo } from "@cloud/local-stack";
import { waitFor } from "@cloud/testkit";
import { restFor } from "../../e2e/rest.ts";

/**
 * Deletes an environment linked to a workspace, and waits for the event's effect in the other service: its log has the
 * unassignment. Returns the milliseconds from the deletion. @throws Error if it does not happen
 */
export async function measureEffect(demo: Demo, deadlineMs: number): Promise<number> {
  const rest = restFor(demo, demo.users.orgAdmin.token);
  const organizationId = demo.organizations[0]?.id;
  const name = `Effect ${performance.now()}`;
  const { body: workspace } = await rest.post("/workspaces", { organizationId, name });
  const { body: environment } = await rest.post("/environments", { organizationId, name });
  const assigned = await rest.post(`/workspaces/${workspace.id}/environments/${environment.id}`);
  const deleted = await rest.delete(`/environments/${environment.id}`);
  if (assigned.status >= 300 || deleted.status >= 300) throw new Error("the writes before the effect were refused");

  const began = performance.now();
  await waitFor(
    async () => {
      const { body } = await rest.get(`/workspaces/${workspace.id}/events?order=created_at%20asc`);
      return body.data.some(({ action }: { action: string }) => action === "unassign") || undefined;
    },
    { deadlineMs },
  );
  return Math.round(performance.now() - began);
}
