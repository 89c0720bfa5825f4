/** Secrets for links, cookies and devices, which are neither keys nor tokens: 256 random bits in base64url. */
const bytes = 32

/** @param chance a CSPRNG, byte by byte */
export function randomText(chance: { randomByte(): number }): string {
  return Buffer.from(Array.from({ length: bytes }, () => chance.randomByte())).toString('base64url')
}

/** Whether a text has the form of such a secret. Other texts need no look-up. */
export function isRandomText(text: string): boolean {
  return /^[\w-]{43}$/.test(text)
}
