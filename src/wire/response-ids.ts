/** Replaces a provider's IDs of stored responses by the IDs that the client may use. */
export interface ResponseIds {
  /** @param tokens the input and output of the response; null while it is streamed, so that all events have the same ID */
  idOf(id: string, tokens: number | null): string
  /** Returns the ID of the response that was continued. */
  previousIdOf(id: string): string
}
