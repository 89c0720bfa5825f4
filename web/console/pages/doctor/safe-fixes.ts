/**
 * The body of a proposed call is often only an example. A page runs a fix only if the body needs no decision and the
 * fix can be undone.
 */
import type { OperationId } from '../../operations/use-operation.ts'

/** These operations have no body, or the server has derived the body from existing resources. */
const safe: Readonly<Record<string, string>> = {
  'models.enable': 'Enable model',
  'users.unfreeze': 'Unfreeze end user',
  'bundles.default': 'Make default',
  'bundles.allow': 'Allow model',
  'emitters.test': 'Send test event',
  'emitters.replay': 'Replay events',
}

export function safeFix(operation: string): { readonly id: OperationId; readonly words: string } | null {
  const words = safe[operation]
  return words === undefined ? null : { id: operation as OperationId, words }
}

/** Null if the resource has no page. */
export function placeOf(
  type: string,
  id: string,
): { readonly to: string; readonly search: Readonly<Record<string, string>> } | null {
  const pages: Readonly<Record<string, string>> = {
    model: '/models',
    router: '/routers',
    bundle: '/bundles',
    provider: '/providers',
    emitter: '/emitters',
  }
  const to = pages[type]
  return to === undefined ? null : { to, search: { open: id } }
}
