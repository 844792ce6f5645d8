/** A kind of record that can be linked to a workspace. */
export type ResourceType = "team" | "environment" | "design" | "view";
