/** Bundles a program of this repository: `node packages/bundle/src/main.ts <its folder> <folder to create>`. */
import { bundleProgram } from "./bundle-program.ts";

const [program, target, ...more] = process.argv.slice(2);
if (program === undefined || target === undefined || more.length > 0) {
  process.stderr.write("node packages/bundle/src/main.ts <folder of the program> <folder to create>\n");
  process.exitCode = 2;
} else {
  await bundleProgram(program, target);
}
