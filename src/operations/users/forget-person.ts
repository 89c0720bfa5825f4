import type { EndUser } from '#domain/records.ts'
import type { ApplicationContext } from '#operations/operation.ts'
import { withoutPerson } from './without-person.ts'

/**
 * Ends what a person has and forgets who the person was, in the transaction of the removal. What records money
 * and use stays, under the service's own id. Whatever else keeps something of people, or lets them in, has its
 * line here.
 * @returns how many keys were revoked by it
 */
export async function forgetPerson(
  person: EndUser,
  { nowMs, organization, store }: ApplicationContext,
): Promise<number> {
  await store.endUsers.remove(person.id, nowMs)
  const keysRevoked = await store.keys.removePerson(person, nowMs)
  const { email, externalId } = person
  const texts = [externalId, ...(email === null ? [] : [email])].map((text) => JSON.stringify(text))
  for (const answer of await store.idempotency.holding(organization.id, texts)) {
    if (answer.applicationId !== person.applicationId) continue
    const response = JSON.stringify(withoutPerson(JSON.parse(answer.response), person))
    // oxlint-disable-next-line no-await-in-loop -- one transaction runs one query at a time
    await store.idempotency.rewrite(answer, response)
  }
  return keysRevoked
}
