import type { EndUser } from '#domain/end-user-record.ts'

/** These response fields contain the customer's own ID of an end user. `payer` is a field of teams. */
const idFields = new Set(['externalId', 'endUserId', 'payer'])

/** The path of a request contains an end user's external ID, or Tollgate's own ID, after one of these segments. */
const beforeEndUser = /^(.*\/(?:end-users|teams\/[^/]+\/members)\/)([^/]+)(.*)$/

/** Returns the external ID or Tollgate's own ID in the path. Null if the path contains no end user. */
export function endUserInPath(path: string): string | null {
  const [, , named] = beforeEndUser.exec(path) ?? []
  return named === undefined ? null : decodeURIComponent(named)
}

/** Replaces the external ID in the path by Tollgate's own ID. */
export function pathWithout(path: string, { externalId, id }: Pick<EndUser, 'id' | 'externalId'>): string {
  if (endUserInPath(path) !== externalId) return path
  return path.replace(beforeEndUser, (_, before: string, __: string, after: string) => before + id + after)
}

/**
 * Stored instead of an external ID if a row contains the external IDs of several end users. No external ID contains a
 * control character.
 */
export const severalEndUsers = '\n'

/** Returns the external IDs in the JSON value. */
export function peopleNamedIn(json: unknown, found = new Set<string>()): ReadonlySet<string> {
  if (typeof json !== 'object' || json === null) return found
  for (const [name, value] of Object.entries(json) as [string, unknown][]) {
    if (idFields.has(name) && typeof value === 'string') found.add(value)
    else peopleNamedIn(value, found)
  }
  return found
}

/** Returns the text with which the server finds a row of a deleted end user. Null if the row names no end user. */
export function personOrSeveral(people: ReadonlySet<string>): string | null {
  if (people.size > 1) return severalEndUsers
  const [only = null] = people
  return only
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
