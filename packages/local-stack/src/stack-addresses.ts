export interface StackPorts {
  gateway: number;
  workspace: number;
  environment: number;
  identity: number;
}

/** The URL of each program's operator port. */
export type Operators = Readonly<Record<keyof StackPorts, string>>;
