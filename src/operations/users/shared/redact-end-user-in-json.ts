import type { EndUser } from '#domain/end-user-record.ts'

/** These response fields contain the customer's own ID of an end user. */
const idFields = new Set(['externalId', 'endUserId', 'payer'])

export function personNamedIn(json: unknown): string | null {
  if (typeof json !== 'object' || json === null) return null
  for (const [name, value] of Object.entries(json) as [string, unknown][]) {
    const found = idFields.has(name) && typeof value === 'string' ? value : personNamedIn(value)
    if (found !== null) return found
  }
  return null
}

/**
 * Replaces the external ID and the names of keys by Tollgate's own ID, and the email by null. All other fields are
 * kept, even if they contain the same text.
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
      // Customers describe the end user in the name of a key.
      if (name === 'name' && isTheirs) return [name, person.id]
      return [name, withoutPerson(value, person)]
    }),
  )
}
