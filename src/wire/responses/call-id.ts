/**
 * A call's id as the wire takes it. Ids of 64 characters and less are kept; longer ones, which other wires
 * allow, become a short one that is made of all of them: the same for a call and its result, in each
 * request again (wire.md 5.5).
 */
export function callIdOf(id: string): string {
  return id.length <= idLengthMax ? id : `call_${hashOf(id, 0x811c9dc5)}${hashOf(id, 0x01000193)}`
}

const idLengthMax = 64

/** FNV-1a, of 32 bits in hex. It need not be hard to collide: ids are the caller's own. */
function hashOf(text: string, seed: number): string {
  let hash = seed
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return (hash >>> 0).toString(16).padStart(8, '0')
}
