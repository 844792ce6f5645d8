// Plain JavaScript of any version, because an old Node.js cannot even parse the TypeScript of src/main.ts.
const major = Number(process.versions.node.split(".")[0]);
if (major < 24) {
  process.stderr.write(
    `npm start: this is Node.js ${process.versions.node}, but 24 or newer is needed. ` +
      "Run npm ci, which brings one, or install one; then npm start.\n",
  );
  process.exit(1);
}
await import("./src/npm-parent.ts");
await import("./src/main.ts");
