/** Creates the first organization and its Provider Admin: `node services/identity/src/bootstrap.ts --help`. */
import { runBootstrap } from "./bootstrap/run-bootstrap.ts";

await runBootstrap(process, process.argv.slice(2));
