import type { Actor } from '#domain/people/caller-types.ts'
import type { Member } from '#domain/people/member-records.ts'
import type { Role } from '#domain/people/team-roles.ts'
import { idOf } from '#domain/ids-sorted-by-time.ts'
import { makeSecret, type ParsedSecret } from '#domain/secrets/key-and-token-format.ts'
import { sha256 } from '#domain/secrets/sha256.ts'
import type { Organization } from '#domain/organization-record.ts'
import type { Token } from '#domain/people/token-record.ts'
import type { Ports } from './dependencies-of-operations.ts'

export interface Minted {
  readonly secret: string
  /** Only this form of the secret is stored. */
  readonly hash: string
  readonly prefix: string
  readonly lastFour: string
}

export function mint(shape: ParsedSecret, { randomByte }: Pick<Ports, 'randomByte'>): Minted {
  const made = makeSecret(shape, randomByte)
  return { ...made, hash: sha256(made.secret) }
}

interface NewToken {
  readonly label: string
  readonly role: Role
  readonly applicationId?: string | null
  readonly memberId?: string | null
  /** Null if the operator created the token on the server. */
  readonly createdBy?: TokenCreator | null
  readonly expiresAtMs?: number | null
  readonly nowMs: number
}

type TokenCreator = Pick<Token, 'createdByKind' | 'createdById' | 'createdByLabel' | 'createdByMemberId'>

const noCreator: TokenCreator = {
  createdByKind: null,
  createdById: null,
  createdByLabel: null,
  createdByMemberId: null,
}

/** If a token creates another token, the member who created the first token is recorded. */
export function creatorOf(actor: Actor): TokenCreator {
  if (actor.kind === 'member') return memberAsCreator(actor.member)
  return {
    createdByKind: 'token',
    createdById: actor.id,
    createdByLabel: actor.label,
    createdByMemberId: actor.token.memberId ?? actor.token.createdByMemberId,
  }
}

export function memberAsCreator({ email, id }: Pick<Member, 'id' | 'email'>): TokenCreator {
  return { createdByKind: 'member', createdById: id, createdByLabel: email, createdByMemberId: id }
}

/** The caller stores the token under `hash` and shows `secret` once. */
export function newToken(
  { code, id }: Pick<Organization, 'code' | 'id'>,
  { applicationId = null, createdBy, expiresAtMs = null, label, memberId = null, nowMs, role }: NewToken,
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
    ...(createdBy ?? noCreator),
    activeApplicationId: null,
    createdAtMs: nowMs,
    lastUsedAtMs: null,
    revokedAtMs: null,
    expiresAtMs,
  }
  return { token, hash, secret }
}

const codeLength = 6
const base36 = '0123456789abcdefghijklmnopqrstuvwxyz'

/**
 * Returns a `<code>` of six base-36 characters. After a collision, which happens once in two billion times per
 * application, another code is generated.
 */
export async function newCode(
  isTaken: (code: string) => Promise<boolean>,
  { randomByte }: Pick<Ports, 'randomByte'>,
): Promise<string> {
  for (;;) {
    let code = ''
    while (code.length < codeLength) {
      const byte = randomByte()
      // Larger bytes would make the first characters of the alphabet more likely, so only bytes below 252 (7 x 36)
      // count.
      if (byte < 252) code += base36[byte % 36]
    }
    if (!(await isTaken(code))) return code
  }
}
