/** A kind of record that can be linked to a workspace. */
export type ResourceKind = "team" | "environment" | "design" | "view";
