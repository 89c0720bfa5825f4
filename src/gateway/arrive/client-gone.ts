/** The client left before its call was sent: nothing to answer, nothing to charge. */
export class ClientGone extends Error {}
