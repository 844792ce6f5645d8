import { createRandom } from "@cloud/testkit/figures";
import { type Rest, restFor } from "../../e2e/rest.ts";
import { systemRest } from "../../e2e/system-rest.ts";
import type { System } from "../system/start-system.ts";
import { createBookkeeper } from "./bookkeeper.ts";
import type { Ledger } from "./ledger.ts";
import type { LedgerClient } from "./send-sequence.ts";

/**
 * Creates this many users with all permissions, each with two workspaces, before anything is broken. `first` numbers
 * them: numbers are unique within a system.
 */
export async function createClients(
  system: System,
  ledger: Ledger,
  count: number,
  seed: number,
  first = 0,
): Promise<LedgerClient[]> {
  const clients: LedgerClient[] = [];
  for (let index = first; index < first + count; index++) {
    clients.push(await createLedgerClient(system, ledger, index, seed + index));
  }
  return clients;
}

async function createLedgerClient(
  { demo }: System,
  ledger: Ledger,
  index: number,
  seed: number,
): Promise<LedgerClient> {
  const organization = demo.organizations[0]?.id ?? "";
  const books = createBookkeeper(ledger, await newUser(demo, organization, index), "p" + index);
  const homes = [await books.create("workspace", organization), await books.create("workspace", organization)] as const;
  const [first, second] = homes;
  if (first === undefined || second === undefined) throw new Error("a workspace could not be created");
  return { books, random: createRandom(seed), organization, homes: [first, second] };
}

async function newUser(demo: System["demo"], organization: string, index: number): Promise<Rest> {
  const system = systemRest(demo);
  const { body: user } = await system.post("/identity/users", { email: "person" + index + "@chaos.example" });
  const member = "/identity/organizations/" + organization + "/members/" + user.id;
  await system.put(member, { roleNames: ["Provider Admin"] });
  const { body: token } = await system.post("/identity/tokens", { userId: user.id });
  return restFor(demo, token.secret);
}
