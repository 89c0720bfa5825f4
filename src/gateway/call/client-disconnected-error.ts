/** Thrown if the client disconnects before its call is sent. The gateway sends no response and charges nothing. */
export class ClientDisconnected extends Error {}
