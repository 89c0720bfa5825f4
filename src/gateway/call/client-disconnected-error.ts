/** The client disconnected before its call was sent. The gateway sends no response and charges nothing. */
export class ClientDisconnected extends Error {}
