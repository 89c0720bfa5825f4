/**
 * Creates secrets for links, cookies and devices, which are neither keys nor tokens. A secret is 256 random bits in
 * base64url.
 */
const bytes = 32

/** @param chance returns random bytes from a CSPRNG */
export function randomText(chance: { randomByte(): number }): string {
  return Buffer.from(Array.from({ length: bytes }, () => chance.randomByte())).toString('base64url')
}

/** Other texts need no look-up. */
export function isRandomText(text: string): boolean {
  return /^[\w-]{43}$/.test(text)
}
