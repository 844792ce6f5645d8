import type { Demo } from "./demo.ts";
import { createDemoClients } from "./demo-clients.ts";
import { seedCurricula } from "./seed-curricula.ts";
import { seedPeople } from "./seed-people.ts";
import { seedResources } from "./seed-resources.ts";
import type { Stack } from "./stack.ts";

/** Creates the demo's records through the RPC ports of a running stack, about 50 calls. */
export async function seedDemo(stack: Stack): Promise<Demo> {
  const clients = createDemoClients(stack);
  const people = await seedPeople(clients);
  const resources = await seedResources(clients, people.organizations[0]?.id ?? "", people.users);
  await seedCurricula(clients, people);
  return { ...addressesOf(stack), ...people, ...resources };
}

/** The demo of an earlier start with today's addresses, or undefined when its records are not in the database. */
export async function renewDemo(stack: Stack, demo: Demo): Promise<Demo | undefined> {
  const { users } = createDemoClients(stack);
  try {
    for (const { id } of Object.values(demo.users)) await users.getUser({ id });
    return { ...demo, ...addressesOf(stack) };
  } catch {
    return undefined; // a demo.json of other data, or of another version
  }
}

function addressesOf({ gateway, services, serviceToken }: Stack): Pick<Demo, "gateway" | "services" | "serviceToken"> {
  return { gateway, services, serviceToken };
}
