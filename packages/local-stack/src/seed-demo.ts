import { Code, ConnectError } from "@connectrpc/connect";
import type { Demo } from "./demo.ts";
import { createDemoClients } from "./demo-clients.ts";
import { seedCurricula } from "./seed-curricula.ts";
import { seedPeople } from "./seed-people.ts";
import { seedResources } from "./seed-resources.ts";
import type { Stack } from "./stack.ts";

/** Creates the demo's records through the RPC ports of a running stack, about 50 calls. */
export async function seedDemo(stack: Addresses): Promise<Demo> {
  const clients = createDemoClients(stack);
  const people = await seedPeople(clients);
  const resources = await seedResources(clients, people.organizations[0]?.id ?? "", people.users);
  await seedCurricula(clients, people);
  return { ...addressesOf(stack), ...people, ...resources };
}

/**
 * Returns the demo of an earlier start with the current addresses, or undefined if its records are not in the database.
 * @throws ConnectError if the service cannot be reached
 */
export async function renewDemo(stack: Addresses, demo: Demo): Promise<Demo | undefined> {
  const { users } = createDemoClients(stack);
  try {
    for (const { id } of Object.values(demo.users)) await users.getUser({ id });
    return { ...demo, ...addressesOf(stack) };
  } catch (error) {
    if (error instanceof ConnectError && ![Code.NotFound, Code.InvalidArgument].includes(error.code)) throw error;
    return undefined; // a demo.json of other data, or of another version
  }
}

/** What the demo keeps of a stack. */
type Addresses = Pick<Stack, "gateway" | "services" | "operators" | "serviceToken">;

function addressesOf({ gateway, services, operators, serviceToken }: Addresses): Addresses {
  return { gateway, services, operators, serviceToken };
}
