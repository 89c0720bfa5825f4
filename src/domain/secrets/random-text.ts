/** Secrets that are no key and no token: of links, cookies and devices. 256 random bits in base64url. */
const bytes = 32

/** @param chance of a CSPRNG, byte by byte */
export function randomText(chance: { randomByte(): number }): string {
  return Buffer.from(Array.from({ length: bytes }, () => chance.randomByte())).toString('base64url')
}

/** Whether a text has the form of one, so that no other is looked up. */
export function isRandomText(text: string): boolean {
  return /^[\w-]{43}$/.test(text)
}
