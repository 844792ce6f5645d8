import { all, at, entriesOf, type Json, text, texts } from "./json.ts";

/** The kinds of volumes that the restricted Pod Security Standard accepts. */
const VOLUMES = [
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "persistentVolumeClaim",
  "projected",
  "secret",
];

/**
 * Returns why a namespace with the restricted Pod Security Standard would refuse a pod, by the rules of that standard.
 */
export function podSecurityProblems(owner: string, spec: Json): string[] {
  const containers = [...all(spec, "initContainers.*"), ...all(spec, "containers.*")];
  const problems = [
    ...["hostNetwork", "hostPID", "hostIPC"].filter((name) => at(spec, name) === true),
    ...all(spec, "volumes.*").flatMap((volume) =>
      entriesOf(volume)
        .filter(([kind]) => kind !== "name" && !VOLUMES.includes(kind))
        .map(([kind]) => `a volume of the kind ${kind}`),
    ),
    ...containers.flatMap((container) => containerProblems(spec, container)),
  ];
  return problems.map((problem) => `${owner}: ${problem}`);
}

function containerProblems(spec: Json, container: Json): string[] {
  const own = at(container, "securityContext");
  const setting = (path: string) => at(own, path) ?? at(spec, `securityContext.${path}`);
  const added = texts(own, "capabilities.add.*").filter((name) => name !== "NET_BIND_SERVICE");
  const rules: Readonly<Record<string, boolean>> = {
    privileged: at(own, "privileged") === true,
    "a port of the node": all(container, "ports.*.hostPort").length > 0,
    "gains privileges": at(own, "allowPrivilegeEscalation") !== false,
    "keeps capabilities": !texts(own, "capabilities.drop.*").includes("ALL"),
    "adds capabilities": added.length > 0,
    "may run as root": setting("runAsNonRoot") !== true,
    "runs as root": setting("runAsUser") === 0,
    "has no seccomp profile": !["RuntimeDefault", "Localhost"].includes(String(setting("seccompProfile.type"))),
    "a proc mount": ![undefined, "Default"].includes(at(own, "procMount") as string | undefined),
  };
  const name = text(container, "name");
  return entriesOf(rules)
    .filter(([, isBroken]) => isBroken === true)
    .map(([problem]) => `${name === "" ? "" : `${name} `}${problem}`);
}
