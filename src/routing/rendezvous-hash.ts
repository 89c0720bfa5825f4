/**
 * Assigns an end user to a target (rendezvous hashing, Thaler and Ravishankar 1998). Each target gets a pseudorandom
 * number for the end user, and the lowest number wins. These numbers do not depend on the other targets. An end user
 * therefore moves only to an added target, or away from a removed target.
 *
 * The logarithm of the number is divided by the weight (an exponential race), so that targets get end users in
 * proportion to their weights. If a weight changes, no more end users move than necessary.
 */
export function rendezvousDraw(person: string, target: string, weight: number): number {
  return -Math.log(uniformHash(person, target)) / weight
}

/**
 * Returns a number between 0 and 1 (both exclusive) from the low 52 bits of two 32-bit hashes. Each hash is FNV-1a with
 * its own start value. MurmurHash3's finalizer mixes the bits, because the last character hardly changes the high bits
 * of FNV. The hash is not secret: an end user who chooses a session's name can choose the session's target.
 */
function uniformHash(person: string, target: string): number {
  let high = 0x811c9dc5
  let low = 0x9747b28c
  for (let at = 0; at < person.length; at++) {
    const unit = person.charCodeAt(at)
    high = Math.imul(high ^ unit, fnvPrime)
    low = Math.imul(low ^ unit, fnvPrime)
  }
  // A separator between the end user and the target. No character code is as high.
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
