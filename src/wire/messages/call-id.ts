/**
 * An id of a call that this wire takes. Others have ids with any character (`call_1|fc_2`, `Bash:12`), which
 * this one refuses on every later turn; the same id is always the same here, so that call and result stay
 * a pair.
 */
export function validCallId(id: string): string {
  if (valid.test(id)) return id
  return `call_${hash(id, 0x811c9dc5)}${hash(id, 0x1000193)}`
}

const valid = /^[\w-]{1,256}$/

/** FNV-1a, twice with different beginnings: the ids of one conversation have to stay apart, and no more. */
function hash(text: string, seed: number): string {
  let state = seed
  for (let i = 0; i < text.length; i++) state = Math.imul(state ^ text.charCodeAt(i), 0x01000193)
  return (state >>> 0).toString(16).padStart(8, '0')
}
