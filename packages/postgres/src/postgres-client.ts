import { readFile } from "node:fs/promises";
import pg, { type ClientConfig } from "pg";
import { ReadOnlyServer, UnreadablePassword } from "./database-errors.ts";
import type { RowReader } from "./rows.ts";
import type { Statement } from "./statement.ts";

export interface ClientSettings extends ClientConfig {
  /** The file of the password, in place of the one in the URL. Read at each connection, so that it may be replaced. */
  readonly passwordFile: string | undefined;
  /** Whether there is a pooler in between, which reports the settings of an earlier session of its own. */
  readonly pooled: boolean;
  /** Whether the session keeps what it prepares; a pooler may send each statement to another one. */
  readonly keepsStatements: boolean;
}

/** A connection that takes its password from a file, and reports whether its server accepts writes. */
export class PostgresClient extends pg.Client {
  /**
   * The settings that are on and make the server read-only. Postgres reports them at the beginning and when they
   * change.
   */
  readonly #readOnlyBy = new Set<string>();
  readonly #keepsStatements: boolean;
  readonly isPooled: boolean;
  /** The row readers of its prepared statements, by name. */
  readonly rowReaders = new Map<string, RowReader>();

  constructor(settings: ClientSettings) {
    super(settings);
    const { passwordFile, pooled, keepsStatements } = settings;
    this.isPooled = pooled;
    this.#keepsStatements = keepsStatements;
    // After an error of its own, such as one of the login, `pg` would keep the connection until Postgres closes it.
    this.connection.on("error", () => this.connection.stream.destroy());
    if (passwordFile !== undefined) this.#readPasswordFrom(passwordFile);
    if (!pooled) this.connection.on("parameterStatus", (status: ParameterStatus) => this.#onSetting(status));
  }

  /**
   * Throws ReadOnlyServer on a connection that is not used any more: a standby shows an earlier state, in which a
   * revoked token is valid.
   */
  assertWritable(): void {
    if (this.#readOnlyBy.size > 0) throw new ReadOnlyServer();
  }

  /** Returns the name under which a statement is prepared here; empty if it is planned each time. */
  nameOf({ name }: Statement): string {
    return this.#keepsStatements ? name : "";
  }

  #onSetting({ parameterName, parameterValue }: ParameterStatus): void {
    if (!READ_ONLY_SETTINGS.has(parameterName)) return;
    if (parameterValue === "on") this.#readOnlyBy.add(parameterName);
    else this.#readOnlyBy.delete(parameterName);
  }

  /**
   * Makes `pg` read the password from a file: it calls a function in place of a password, but takes none beside a URL.
   */
  #readPasswordFrom(file: string): void {
    const read = async () => {
      try {
        return (await readFile(file, "utf8")).replace(/\r?\n$/, ""); // a line break at the end does not belong to it
      } catch (cause) {
        throw new UnreadablePassword(file, cause);
      }
    };
    Object.assign(this, { password: read });
  }
}

interface ParameterStatus {
  readonly parameterName: string;
  readonly parameterValue: string;
}

const READ_ONLY_SETTINGS: ReadonlySet<string> = new Set(["in_hot_standby", "default_transaction_read_only"]);
