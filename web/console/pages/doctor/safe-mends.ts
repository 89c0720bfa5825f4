/**
 * Which mends a page may run as they are proposed. The body of a proposed call is an example: only where it says
 * everything that has to be decided, and can be undone, is it a button; else it is shown to be filled in elsewhere.
 */
import type { OperationId } from '../../calls.ts'

/** Without a body, or with one that the server chose from what is there. */
const safe: Readonly<Record<string, string>> = {
  'models.enable': 'Serve it again',
  'users.unfreeze': 'Let them spend again',
  'bundles.default': 'Give it to new people',
  'bundles.allow': 'Allow it',
  'emitters.test': 'Send a test event',
  'emitters.replay': 'Send them again',
}

export function safeMend(operation: string): { readonly id: OperationId; readonly words: string } | null {
  const words = safe[operation]
  return words === undefined ? null : { id: operation as OperationId, words }
}

/** Where a person does what is no button here. */
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
