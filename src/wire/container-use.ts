import { byteTextOf } from '#wire/text/byte-text.ts'
import type { WireRequest } from './wire-request.ts'

/** A container at a provider in which an earlier response ran code. */
export interface ContainerUse {
  /** The ID that the client sent, and its position. */
  readonly id: string
  readonly place: { readonly start: number; readonly end: number }
  /** Absent until the gateway has opened the ID. */
  readonly stored?: StoredContainer
}

export interface StoredContainer {
  /** The provider's ID. */
  readonly id: string
  /** Identifies the account that runs the container. */
  readonly origin: string
}

/** Returns the request with the provider's ID of its container. */
export function withContainer(
  request: WireRequest,
  container: ContainerUse,
  stored: StoredContainer,
): WireRequest {
  const { places } = request
  const edit = { ...container.place, text: byteTextOf(JSON.stringify(stored.id)) }
  return {
    ...request,
    container: { ...container, stored },
    places: { ...places, always: [...places.always, edit] },
  }
}
