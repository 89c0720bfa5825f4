import { factsInBody } from '#wire/facts-in-request-path.ts'
import { Failure } from '#domain/errors.ts'
import type { ConversationRequest } from '#domain/provider-upstream-interface.ts'
import type { Route } from '#gateway/call/arrived-request-types.ts'

const conversationPath = /^\/v1\/conversations(?:\/(?<id>conv_[\w-]+)(?<part>|\/items(?:\/[\w-]+)?))?$/

/** Query parameters to forward when the client lists a conversation's items. */
const listed: ReadonlySet<string> = new Set(['after', 'include', 'include[]', 'limit', 'order'])

const wire = 'responses'

type Refused = { readonly kind: 'refused'; readonly wire: typeof wire; readonly failure: Failure }

export function conversationRoute(
  method: string,
  path: string,
  query: URLSearchParams,
): Route | Refused | null {
  const match = conversationPath.exec(path)
  if (match === null) return null
  const { id, part = '' } = match.groups ?? {}
  const methods = methodsOf(id, part)
  const allowed = methods.find((one) => one === method)
  if (allowed === undefined) {
    const failure = new Failure('method_not_allowed', { method, allowed: methods.join(', ') })
    return { kind: 'refused', wire, failure }
  }
  const forwarded = [...query].filter(([name]) => part !== '' && listed.has(name))
  return {
    kind: 'conversation',
    wire,
    path: factsInBody,
    query: new URLSearchParams(forwarded).toString(),
    conversation: { method: allowed, part, ...(id !== undefined && { id }) },
  }
}

function methodsOf(id: string | undefined, part: string): readonly ConversationRequest['method'][] {
  if (id === undefined) return ['POST']
  if (part === '') return ['GET', 'POST', 'DELETE']
  return part === '/items' ? ['GET', 'POST'] : ['GET', 'DELETE']
}
