/** Thrown for a message that no retry can make readable; it is parked at its first attempt. */
export class Unreadable extends Error {}
