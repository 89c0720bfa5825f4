import { hashOf } from '#wire/hash.ts'

/**
 * A call's id as the wire takes it. Ids of 64 characters and less are kept; longer ones, which other wires
 * allow, become a short one that is made of all of them: the same for a call and its result, in each
 * request again (wire.md 5.5).
 */
export function callIdOf(id: string): string {
  return id.length <= idLengthMax ? id : `call_${hashOf(id)}`
}

const idLengthMax = 64
