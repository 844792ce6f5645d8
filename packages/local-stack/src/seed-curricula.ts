import type { Demo } from "./demo.ts";
import type { DemoClients } from "./demo-clients.ts";

/** Curricula of both organizations, with three, one and no registrations. */
export async function seedCurricula(
  { curricula }: DemoClients,
  { organizations, users }: Pick<Demo, "organizations" | "users">,
): Promise<void> {
  const [first, second] = organizations;
  const wanted = [
    { organization: first, title: "Getting started", type: "learning-path", level: "beginner" },
    { organization: first, title: "Running in production", type: "learning-path", level: "advanced" },
    { organization: second, title: "Field training", type: "workshop", level: "intermediate" },
  ];
  const registered = [[users.user, users.teamAdmin, users.workspaceAdmin], [users.user], []];
  for (const [index, { organization, ...fields }] of wanted.entries()) {
    const organizationId = organization?.id ?? "";
    const { curriculum } = await curricula.createCurriculum({ organizationId, status: "ready", ...fields });
    for (const user of registered[index] ?? []) {
      await curricula.registerForCurriculum({ id: curriculum?.id ?? "", userId: user.id });
    }
  }
}
