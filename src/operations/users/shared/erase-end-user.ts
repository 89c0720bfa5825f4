import type { AuditEntry } from '#domain/audit-log.ts'
import type { EndUser } from '#domain/end-user-record.ts'
import type { ApplicationContext } from '#operations/kernel/operation-context.ts'
import { withoutPerson } from './redact-end-user-in-json.ts'

/**
 * Call this in the transaction of the deletion. Records of money and usage are kept under Tollgate's own ID of the end
 * user. If new code stores further data of end users, or gives end users access, add it here.
 * store/sql/end-user-erasure.ts lists the columns of an end user's own rows.
 */
export async function forgetPerson(person: EndUser, context: ApplicationContext): Promise<number> {
  const { nowMs, store } = context
  const team = await store.teams.ofPayer(person.id)
  if (team !== null) {
    await store.teams.remove(team)
    // The compiled configuration contains the limits of the deleted team.
    await store.applications.raiseVersion(person.applicationId)
  }
  await store.endUsers.remove(person, nowMs)
  const keysRevoked = await store.keys.removePerson(person, nowMs)
  await store.portals.endVisits(person.id)
  await forgetInAnswers(person, context)
  await forgetInAudit(person, context)
  return keysRevoked
}

async function forgetInAnswers(person: EndUser, { store }: ApplicationContext): Promise<void> {
  for (const answer of await store.idempotency.naming(person.applicationId, person.externalId)) {
    const response = textWithout(answer.response, person)
    // The response may contain other end users. The application's ID finds the response when they are deleted.
    const externalId = answer.externalId === person.applicationId ? answer.externalId : person.id
    // oxlint-disable-next-line no-await-in-loop -- one transaction runs one query at a time
    await store.idempotency.rewrite({ ...answer, response, externalId })
  }
}

/** Replaces the external ID in the audit log by Tollgate's own ID of the end user. */
async function forgetInAudit(person: EndUser, { editAudit, store }: ApplicationContext): Promise<void> {
  const forget = (entry: AuditEntry): AuditEntry => ({
    ...entry,
    resource: pathWithout(entry.resource, person),
    before: entry.before && textWithout(entry.before, person),
    after: entry.after && textWithout(entry.after, person),
    externalId: person.id,
  })
  // If a request named the end user by Tollgate's own ID, the entry is found only by this ID.
  for (const named of [person.externalId, person.id]) {
    // oxlint-disable-next-line no-await-in-loop -- as above
    for (const entry of await store.audit.naming(person.applicationId, named)) {
      // oxlint-disable-next-line no-await-in-loop -- as above
      await store.audit.rewrite(forget(entry))
    }
  }
  // The entry of the deletion itself must not contain the external ID either.
  editAudit(forget)
}

function textWithout(text: string, person: EndUser): string {
  return JSON.stringify(withoutPerson(JSON.parse(text), person))
}

/** In paths, the segment after one of these can be the external ID of an end user. */
const beforeId = new Set(['end-users', 'members', 'keys'])

function pathWithout(resource: string, { externalId, id }: EndUser): string {
  const segments = resource.split('/')
  return segments
    .map((segment, at) =>
      beforeId.has(segments[at - 1] ?? '') && decodeURIComponent(segment) === externalId
        ? encodeURIComponent(id)
        : segment,
    )
    .join('/')
}
