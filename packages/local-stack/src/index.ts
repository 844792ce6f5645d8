export { type Demo, type DemoUser, type DemoUserName, readDemo } from "./demo.ts";
export { createDemoClients, type DemoClients } from "./demo-clients.ts";
export { renewDemo, seedDemo } from "./seed-demo.ts";
export {
  createServiceDatabases,
  rolesOf,
  type Stack,
  type StackOptions,
  startStack,
} from "./stack.ts";
export type { Operators, StackPorts } from "./stack-addresses.ts";
export { createCredentials, credentialsFor, type StackCredentials } from "./stack-credentials.ts";
