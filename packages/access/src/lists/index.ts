export { fieldRuleOf } from "../access-rule.ts";
export {
  advanceLogCursor,
  afterCursor,
  type Cursor,
  formatCursor,
  formatLogCursor,
  type LogCursor,
  parseCursor,
  parseLogCursor,
} from "./cursors.ts";
export {
  type ListParameters,
  type ListRequest,
  packIds,
  parseAssigned,
  parseListParameters,
  parseSelectionParameters,
  parseVisibility,
  parseVisibilityFilter,
  type SelectionParameters,
  type Visibility,
} from "./lists.ts";
