/** Thrown if the client disconnects before its call is sent. No response is sent and nothing is charged. */
export class ClientDisconnected extends Error {}
