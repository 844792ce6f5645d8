import type { Conditions } from "@cloud/telemetry";
import type { ServerInfo } from "nats";

const CONDITION = "nats-open";
const MESSAGE = "NATS accepts clients without a login: whoever reaches it can publish events";

/** Creates the function that raises the condition `nats-open` while the server asks its clients for no proof. */
export function watchOpenServer(conditions: Conditions): (info: ServerInfo | undefined) => void {
  return (info) => {
    const asks = info?.auth_required === true || info?.tls_verify === true;
    if (asks) conditions.clear(CONDITION);
    else conditions.raise(CONDITION, MESSAGE);
  };
}
