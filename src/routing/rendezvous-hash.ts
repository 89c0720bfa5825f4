/**
 * Where a person belongs among targets (rendezvous hashing, Thaler and Ravishankar 1998): each target draws a number
 * of its own for the person, and the lowest draw wins. A target that comes or goes changes no other draw, so it moves
 * only the people that it wins or loses: one of n targets, a share of 1/n.
 *
 * The draw divided by the weight after a logarithm (an exponential race) gives each target people by its weight, and
 * a changed weight moves no more people than it must.
 */
export function rendezvousDraw(person: string, target: string, weight: number): number {
  return -Math.log(uniformHash(person, target)) / weight
}

/**
 * A number between 0 and 1, both excluded, from the low 52 bits of two 32-bit hashes: FNV-1a over the characters, from
 * two beginnings, each mixed by the finaliser of MurmurHash3 because FNV alone barely changes its high bits for the
 * last character. Not for secrets: who may choose a session's name may choose their target.
 */
function uniformHash(person: string, target: string): number {
  let high = 0x811c9dc5
  let low = 0x9747b28c
  for (let at = 0; at < person.length; at++) {
    const unit = person.charCodeAt(at)
    high = Math.imul(high ^ unit, fnvPrime)
    low = Math.imul(low ^ unit, fnvPrime)
  }
  // No character is above 0xffff, so what follows cannot be mistaken for more of the person.
  high = mixed(Math.imul(high ^ 0x10000, fnvPrime))
  low = mixed(Math.imul(low ^ 0x10000, fnvPrime))
  for (let at = 0; at < target.length; at++) {
    const unit = target.charCodeAt(at)
    high = Math.imul(high ^ unit, fnvPrime)
    low = Math.imul(low ^ unit, fnvPrime)
  }
  return ((mixed(high) >>> 6) * 2 ** 26 + (mixed(low) >>> 6) + 0.5) / 2 ** 52
}

const fnvPrime = 0x01000193

function mixed(hash: number): number {
  let bits = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return bits ^ (bits >>> 16)
}
