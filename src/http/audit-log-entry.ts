import type { AuditEntry } from '#domain/audit-log.ts'
import { idOf } from '#domain/ids-sorted-by-time.ts'
import type { AnyContext } from '#operations/kernel/operation-context.ts'
import type { Operation } from '#operations/kernel/declare-operation.ts'
import { personNamedIn } from '#operations/users/shared/redact-end-user-in-json.ts'
import type { Caller } from './authenticate-caller.ts'
import { revisionText } from './etags-and-preconditions.ts'

/**
 * Maximum number of characters of a resource's state in an audit entry. A longer state is truncated, because only
 * people read the audit log.
 */
const stateCharsMax = 16_384

interface Made {
  readonly operation: Operation
  readonly context: AnyContext
  readonly caller: Pick<Caller, 'organization' | 'actor'>
  readonly request: Request
  readonly before: object | null
  readonly after: object | null
  readonly answer: string
}

export function auditEntry({ after, answer, before, caller, context, operation, request }: Made): AuditEntry {
  const { organization } = caller
  const actor = auditActor(caller.actor)
  const { pathname } = new URL(request.url)
  const was = before && bounded(revisionText(before))
  const is = bounded(after ? revisionText(after) : shownOf(answer, operation))
  return {
    id: idOf('aud', context.ports.newId()),
    organizationId: organization.id,
    applicationId: context.application?.id ?? null,
    mode: context.mode,
    createdAtMs: context.nowMs,
    actorKind: actor.kind,
    actorId: actor.id,
    actorLabel: actor.label,
    address: context.client.address,
    operationId: operation.id,
    resource: `${request.method} ${pathname}`,
    requestId: context.requestId,
    before: was,
    after: is,
    externalId: personIn(pathname, is, was),
  }
}

/** A member who acts in an end user's portal is distinguished from the end user. */
function auditActor(actor: Made['caller']['actor']): Pick<Made['caller']['actor'], 'id' | 'kind' | 'label'> {
  if (actor.kind !== 'end_user' || actor.openedBy === null) return actor
  const { id, label } = actor.openedBy
  return { kind: 'member', id, label: `member ${label} in the portal of ${actor.id}` }
}

/** Returns the end user in the path of the request, or else the first end user in the resource's states. */
function personIn(path: string, ...states: readonly (string | null)[]): string | null {
  const [, named] = /\/end-users\/([^/]+)/.exec(path) ?? []
  if (named !== undefined) return decodeURIComponent(named)
  for (const state of states) {
    const found = state === null ? null : personNamedIn(JSON.parse(state))
    if (found !== null) return found
  }
  return null
}

/** If the response contains a secret, keeps only the ID of the created resource. */
function shownOf(answer: string, { answersSecret }: Operation): string {
  if (!answersSecret) return answer
  const { id }: { id?: unknown } = JSON.parse(answer)
  return JSON.stringify({ id })
}

function bounded(text: string): string {
  return text.length <= stateCharsMax ? text : JSON.stringify({ cutAfterChars: stateCharsMax })
}
