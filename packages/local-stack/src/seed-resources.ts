import type { Demo, DemoUser } from "./demo.ts";
import type { DemoClients } from "./demo-clients.ts";

type Resources = Pick<Demo, "designs" | "views" | "connections" | "environments">;

const VISIBILITIES = ["private", "public", "published"];

/** Creates the records that workspaces and environments group, all in the given organization. */
export async function seedResources(
  clients: DemoClients,
  organizationId: string,
  { workspaceAdmin, orgAdmin }: { workspaceAdmin: DemoUser; orgAdmin: DemoUser },
): Promise<Resources> {
  const created = VISIBILITIES.flatMap((visibility) =>
    [workspaceAdmin, orgAdmin].map(async ({ id: owner }, index) => {
      const name = `${visibility} ${["mesh", "pipeline"][index]}`;
      const design = await clients.designs.createDesign({ organizationId, name, visibility, owner });
      const view = await clients.views.createView({ organizationId, name, visibility, owner });
      return { design: design.design?.id ?? "", view: view.view?.id ?? "" };
    }),
  );
  const pairs = await Promise.all(created);
  return {
    designs: pairs.map(({ design }) => design),
    views: pairs.map(({ view }) => view),
    connections: await seedConnections(clients, organizationId, workspaceAdmin.id),
    environments: await seedEnvironments(clients, organizationId),
  };
}

async function seedConnections(clients: DemoClients, organizationId: string, owner: string): Promise<string[]> {
  const wanted = [
    { name: "Production cluster", kind: "kubernetes", type: "platform", status: "connected" },
    { name: "Metrics", kind: "prometheus", type: "telemetry", status: "connected" },
    { name: "Repository", kind: "git", type: "code", status: "registered" },
  ];
  const create = async (connection: (typeof wanted)[number]) =>
    (await clients.connections.createConnection({ organizationId, owner, ...connection })).connection?.id ?? "";
  return Promise.all(wanted.map(create));
}

async function seedEnvironments(clients: DemoClients, organizationId: string): Promise<Demo["environments"]> {
  const { environments } = clients;
  const [ordinary, provisioned] = await Promise.all([
    environments.createEnvironment({ organizationId, name: "Staging", description: "An ordinary environment" }),
    environments.provisionEnvironment({ organizationId, name: "Platform", description: "Provisioned by the platform" }),
  ]);
  return { ordinary: ordinary.environment?.id ?? "", platformProvisioned: provisioned.environment?.id ?? "" };
}
