import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";

/** The users of production, each with its permissions; their passwords are variables. */
const AUTHORIZATION = new URL("../../../deploy/nats/authorization.conf", import.meta.url);
/** The user of the example of docs/events.md, which runs beside `npm start`. */
const FOREIGN_CONSUMER = new URL("../../../deploy/nats/billing-consumer.conf", import.meta.url);

const UPDATE = /^ *"\$JS\.API\.STREAM\.UPDATE\.CLOUD_EVENTS"\n/gm;

/** Seconds for a login: a client on a busy machine may need more than the server's default of 2. */
const PATIENT = "authorization {\n  timeout: 30\n";

export interface NatsUsers {
  /** The contents of the server's configuration file, which contain the passwords. */
  readonly configuration: string;
  /** Adds a user's login to the URL of a server: a service's name, `billing`, or `operator`, who may do everything. */
  loginTo(url: string, user: string): string;
}

/**
 * Creates a random password for each user of `deploy/nats/authorization.conf`, and for that of a foreign consumer. Without
 * `mayUpdateStream`, the services lack the right that they can do without, as deploy/README.md describes.
 */
export function createNatsUsers({ mayUpdateStream = true } = {}): NatsUsers {
  const consumer = readFileSync(FOREIGN_CONSUMER, "utf8");
  const text = readFileSync(AUTHORIZATION, "utf8").replace("  users: [\n", () => `  users: [\n${consumer}`);
  const authorization = mayUpdateStream ? text : text.replaceAll(UPDATE, "");
  const patient = authorization.replace("authorization {\n", PATIENT);
  const variables = [...authorization.matchAll(/\$(NATS_(\w+)_PASSWORD)\b/g)];
  const users = new Map(variables.map(([, variable = "", name = ""]) => [name.toLowerCase(), createUser(variable)]));
  const passwords = [...users.values()].map(({ variable, password }) => `${variable}: "${password}"\n`);
  return {
    configuration: passwords.join("") + patient,
    loginTo: (url, user) => {
      const found = users.get(user);
      if (found === undefined)
        throw new TypeError(`there is no NATS user ${user}, only ${[...users.keys()].join(", ")}`);
      const withLogin = new URL(url);
      withLogin.username = user;
      withLogin.password = found.password;
      return withLogin.href;
    },
  };
}

const createUser = (variable: string) => ({ variable, password: randomBytes(24).toString("base64url") });
