export type ServiceName = "identity" | "environment" | "workspace";
export const SERVICES: readonly ServiceName[] = ["identity", "environment", "workspace"];

/** Creates something for each service, concurrently. */
export async function forEachService<T>(make: (name: ServiceName) => Promise<T>): Promise<Record<ServiceName, T>> {
  const entries = await Promise.all(SERVICES.map(async (name) => [name, await make(name)] as const));
  return Object.fromEntries(entries) as Record<ServiceName, T>;
}
