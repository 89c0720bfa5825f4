/** A container at a provider in which an earlier response ran code. */
export interface ContainerUse {
  /** The ID that the client sent, and its position. */
  readonly id: string
  readonly place: { readonly start: number; readonly end: number }
  /** Set if the container is only named in the conversation, so that any target may continue the conversation. */
  readonly isNamed?: true
  /** Absent until the gateway has decrypted the ID. */
  readonly stored?: StoredContainer
}

export interface StoredContainer {
  /** The provider's ID. */
  readonly id: string
  /** Identifies the account that runs the container. */
  readonly origin: string
}
