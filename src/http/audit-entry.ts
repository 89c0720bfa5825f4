import type { AuditEntry } from '#domain/audit.ts'
import { idOf } from '#domain/id.ts'
import type { AnyContext } from '#operations/context.ts'
import type { Operation } from '#operations/operation.ts'
import { personNamedIn } from '#operations/users/without-person.ts'
import type { Caller } from './authenticate.ts'
import { revisionText } from './preconditions.ts'

/** A longer state is cut from the log: it is kept to be read by people. */
const stateCharsMax = 16_384

/** A change that an operation made. */
interface Made {
  readonly operation: Operation
  readonly context: AnyContext
  readonly caller: Pick<Caller, 'organization' | 'actor'>
  readonly request: Request
  /** The state of the resource before and after; null: it has none. */
  readonly before: object | null
  readonly after: object | null
  /** The JSON body of the answer. */
  readonly answer: string
}

/** The row of the audit log for a change. */
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

/** A member who acts in somebody's portal is told apart from the end user. */
function auditActor(actor: Made['caller']['actor']): Pick<Made['caller']['actor'], 'id' | 'kind' | 'label'> {
  if (actor.kind !== 'end_user' || actor.openedBy === null) return actor
  const { id, label } = actor.openedBy
  return { kind: 'member', id, label: `member ${label} in the portal of ${actor.id}` }
}

/** Whom the path of an operation on a person names; else whoever the states name first. */
function personIn(path: string, ...states: readonly (string | null)[]): string | null {
  const [, named] = /\/end-users\/([^/]+)/.exec(path) ?? []
  if (named !== undefined) return decodeURIComponent(named)
  for (const state of states) {
    const found = state === null ? null : personNamedIn(JSON.parse(state))
    if (found !== null) return found
  }
  return null
}

/** An answer with a secret leaves only the id of what was made. */
function shownOf(answer: string, { answersSecret }: Operation): string {
  if (!answersSecret) return answer
  const { id }: { id?: unknown } = JSON.parse(answer)
  return JSON.stringify({ id })
}

function bounded(text: string): string {
  return text.length <= stateCharsMax ? text : JSON.stringify({ cutAfterChars: stateCharsMax })
}
