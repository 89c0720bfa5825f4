import { createHash } from 'node:crypto'
import { makeSecret, type ParsedSecret } from '#domain/secret.ts'
import type { Ports } from './operation.ts'

export interface Minted {
  readonly secret: string
  /** SHA-256 of the secret, lower-case hex: all that is kept of it. */
  readonly hash: string
  readonly prefix: string
  readonly lastFour: string
}

/** A new key or token. */
export function mint(shape: ParsedSecret, { randomByte }: Pick<Ports, 'randomByte'>): Minted {
  const made = makeSecret(shape, randomByte)
  return { ...made, hash: createHash('sha256').update(made.secret, 'utf8').digest('hex') }
}

const codeLength = 6
const base36 = '0123456789abcdefghijklmnopqrstuvwxyz'

/**
 * A `<code>` that nobody has: six base-36 characters, so a clash is one in two thousand million per
 * application and is met by drawing again.
 */
export async function newCode(
  isTaken: (code: string) => Promise<boolean>,
  { randomByte }: Pick<Ports, 'randomByte'>,
): Promise<string> {
  for (;;) {
    let code = ''
    while (code.length < codeLength) {
      const byte = randomByte()
      // 252 = 7 x 36: a larger byte would make the first letters likelier than the rest.
      if (byte < 252) code += base36[byte % 36]
    }
    if (!(await isTaken(code))) return code
  }
}
