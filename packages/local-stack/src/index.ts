export { createDemoClients, type Demo, type DemoClients, type DemoUser, type DemoUserName, readDemo } from "./demo.ts";
export { renewDemo, seedDemo } from "./seed-demo.ts";
export {
  createCredentials,
  createServiceDatabases,
  credentialsFor,
  rolesOf,
  type Stack,
  type StackCredentials,
  type StackOptions,
  startStack,
} from "./stack.ts";
export type { Operators, StackPorts } from "./start-operators.ts";
