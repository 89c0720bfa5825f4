/** The client left before its call was sent: there is no one to answer and nothing to charge. */
export class ClientGone extends Error {}
