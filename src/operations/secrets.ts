import type { Role } from '#domain/people/role.ts'
import { idOf } from '#domain/id.ts'
import { makeSecret, type ParsedSecret } from '#domain/secrets/secret-format.ts'
import { sha256 } from '#domain/secrets/sha256.ts'
import type { Organization, Token } from '#domain/records.ts'
import type { Ports } from './ports.ts'

export interface Minted {
  readonly secret: string
  /** SHA-256 of the secret, lower-case hex: the only stored form of it. */
  readonly hash: string
  readonly prefix: string
  readonly lastFour: string
}

/** A new key or token. */
export function mint(shape: ParsedSecret, { randomByte }: Pick<Ports, 'randomByte'>): Minted {
  const made = makeSecret(shape, randomByte)
  return { ...made, hash: sha256(made.secret) }
}

interface NewToken {
  readonly label: string
  readonly role: Role
  readonly applicationId?: string | null
  /** The member whose device is to hold it. */
  readonly memberId?: string | null
  readonly nowMs: number
}

/** A new `sk_` token of an organization; the caller stores it under `hash` and shows `secret` once. */
export function newToken(
  { code, id }: Pick<Organization, 'code' | 'id'>,
  { applicationId = null, label, memberId = null, nowMs, role }: NewToken,
  ports: Pick<Ports, 'newId' | 'randomByte'>,
): { readonly token: Token; readonly hash: string; readonly secret: string } {
  const { hash, lastFour, prefix, secret } = mint({ kind: 'sk', code, isTest: false }, ports)
  const token = {
    id: idOf('apk', ports.newId()),
    organizationId: id,
    label,
    prefix,
    lastFour,
    role,
    applicationId,
    memberId,
    activeApplicationId: null,
    createdAtMs: nowMs,
    lastUsedAtMs: null,
    revokedAtMs: null,
  }
  return { token, hash, secret }
}

const codeLength = 6
const base36 = '0123456789abcdefghijklmnopqrstuvwxyz'

/**
 * An unused `<code>`: six base-36 characters, so a clash is one in two thousand million per
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
