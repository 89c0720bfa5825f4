import type { EndUser } from '#domain/records.ts'

/** Fields in which answers name a person by the customer's own id. */
const idFields = new Set(['externalId', 'endUserId'])

/** The external id of the first person whom a JSON value names; null: nobody. */
export function personNamedIn(json: unknown): string | null {
  if (typeof json !== 'object' || json === null) return null
  for (const [name, value] of Object.entries(json) as [string, unknown][]) {
    const found = idFields.has(name) && typeof value === 'string' ? value : personNamedIn(value)
    if (found !== null) return found
  }
  return null
}

/**
 * A stored JSON value without what tells who a person was: the service's own id stands for the external one, null
 * for the email. A value that only looks like one of them, in another field, stays.
 */
export function withoutPerson(json: unknown, person: Pick<EndUser, 'id' | 'externalId' | 'email'>): unknown {
  if (Array.isArray(json)) return json.map((item) => withoutPerson(item, person))
  if (typeof json !== 'object' || json === null) return json
  const fields = Object.entries(json)
  const isTheirs = fields.some(([name, value]) => idFields.has(name) && value === person.externalId)
  return Object.fromEntries(
    fields.map(([name, value]): [string, unknown] => {
      if (idFields.has(name) && value === person.externalId) return [name, person.id]
      if (name === 'email' && (isTheirs || value === person.email)) return [name, null]
      // The name of a key is the customer's word for its holder.
      if (name === 'name' && isTheirs) return [name, person.id]
      return [name, withoutPerson(value, person)]
    }),
  )
}
