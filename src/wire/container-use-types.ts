export interface ContainerUse {
  /** The ID that the client sent. */
  readonly id: string
  readonly place: { readonly start: number; readonly end: number }
  /**
   * Set if only an earlier call of the conversation names the container. The request then does not need the container,
   * so any target may serve the request.
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
