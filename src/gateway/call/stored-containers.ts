/**
 * Containers in which a provider runs code for an end user. A request that uses the container of an earlier response is
 * sent to the account that runs the container (docs/decisions/2026-11-28-containers-of-end-users.md).
 */
import type { Account } from '#domain/accounts/account.ts'
import { Failure } from '#domain/errors.ts'
import type { ContainerTags } from '#domain/secrets/container-ids.ts'
import { withContainer, type ContainerUse } from '#wire/container-use.ts'
import type { ContainerIds } from '#wire/response-ids.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import type { Arrival } from './arrival.ts'
import type { Caller } from './caller.ts'
import type { Plan } from './model-name-targets.ts'

/**
 * Opens the ID of the container that a request uses.
 * @throws Failure the same one for an unknown ID and for an ID of another end user or application
 */
export function withOpenedContainer(
  { ports }: Pick<Arrival, 'ports'>,
  { key }: Caller,
  request: WireRequest,
): WireRequest {
  const { container } = request
  if (container === undefined) return request
  const stored = ports.containerTags.open(key, container.id)
  if (stored !== null) return withContainer(request, container, stored)
  const id = container.id.slice(0, shownIdMax)
  throw new Failure('not_found', { resource: 'container', id }, { param: 'container' })
}

const shownIdMax = 64

/** Returns a failure if the target does not run the container of the request, and null otherwise. */
export function otherContainerFault({ stored }: ContainerUse, { fileOrigin }: Plan): Failure | null {
  if (stored !== undefined && stored.origin === fileOrigin) return null
  const reason =
    'the container belongs to another account. Use a model name of that account, or omit the field to start a new container'
  return new Failure('unsupported_for_route', { reason }, { param: 'container' })
}

/** Returns the conversion of a target's container IDs. Null if its response names no container. */
export function containerIdsOf(
  tags: ContainerTags,
  owner: Account,
  { run, wire }: WireRequest,
  { fileOrigin: origin }: Plan,
): ContainerIds | null {
  if (run === undefined || wire !== 'messages' || origin === null) return null
  return { idOf: (id) => tags.tagOf(owner, { origin, id }) }
}
