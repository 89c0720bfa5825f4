/** A container at a provider in which an earlier response ran code. */
export interface ContainerUse {
  /** The container ID that the client sent. */
  readonly id: string
  /** The position of the container ID in the request. */
  readonly place: { readonly start: number; readonly end: number }
  /**
   * Set if the container ID occurs only in an earlier call of the conversation. The request then does not need the
   * container, so any target may serve the request.
   */
  readonly isNamed?: true
  /** Absent until the gateway has decrypted the ID. */
  readonly stored?: StoredContainer
}

export interface StoredContainer {
  /** The ID that the provider gave to the container. */
  readonly id: string
  /** Identifies the account that runs the container. */
  readonly origin: string
}
