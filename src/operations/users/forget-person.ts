import type { AuditEntry } from '#domain/audit.ts'
import type { EndUser } from '#domain/records.ts'
import type { ApplicationContext } from '#operations/operation.ts'
import { withoutPerson } from './without-person.ts'

/**
 * Ends what a person has and forgets who the person was, in the transaction of the removal. What records money
 * and use stays, under the service's own id. Whatever else keeps something of people, or lets them in, has its
 * line here.
 * @returns how many keys were revoked by it
 */
export async function forgetPerson(person: EndUser, context: ApplicationContext): Promise<number> {
  const { nowMs, store } = context
  await store.endUsers.remove(person.id, nowMs)
  const keysRevoked = await store.keys.removePerson(person, nowMs)
  await forgetInAnswers(person, context)
  await forgetInAudit(person, context)
  return keysRevoked
}

async function forgetInAnswers(person: EndUser, { organization, store }: ApplicationContext): Promise<void> {
  for (const answer of await store.idempotency.holding(organization.id, jsonOf(person))) {
    if (answer.applicationId !== person.applicationId) continue
    // oxlint-disable-next-line no-await-in-loop -- one transaction runs one query at a time
    await store.idempotency.rewrite(answer, textWithout(answer.response, person))
  }
}

/** The log goes on to say who did what, to which person by the service's own id. */
async function forgetInAudit(
  person: EndUser,
  { editAudit, organization, store }: ApplicationContext,
): Promise<void> {
  const forget = (entry: AuditEntry): AuditEntry => ({
    ...entry,
    resource: pathWithout(entry.resource, person),
    before: entry.before && textWithout(entry.before, person),
    after: entry.after && textWithout(entry.after, person),
  })
  const texts = [...jsonOf(person), inPath(person.externalId)]
  for (const entry of await store.audit.holding(organization.id, person.applicationId, texts)) {
    // oxlint-disable-next-line no-await-in-loop -- as above
    await store.audit.rewrite(forget(entry))
  }
  // The removal itself.
  editAudit(forget)
}

/** What names a person, as it stands in JSON. */
function jsonOf({ email, externalId }: EndUser): string[] {
  return [externalId, ...(email === null ? [] : [email])].map((text) => JSON.stringify(text))
}

function textWithout(text: string, person: EndUser): string {
  return JSON.stringify(withoutPerson(JSON.parse(text), person))
}

/** The path of an operation on a person begins with this. */
function inPath(externalId: string): string {
  return `/end-users/${encodeURIComponent(externalId)}`
}

function pathWithout(resource: string, { externalId, id }: EndUser): string {
  const named = inPath(externalId)
  const [before = '', ...rest] = resource.split(named)
  const after = rest.join(named)
  // Another person's id may begin with this one's.
  const isWhole = rest.length > 0 && (after === '' || after.startsWith('/'))
  return isWhole ? before + inPath(id) + after : resource
}
