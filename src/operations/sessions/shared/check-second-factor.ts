import type * as z from 'zod'
import type { Member } from '#domain/people/member-records.ts'
import type { PublicContext } from '#operations/kernel/operation-context.ts'
import {
  addPasskey,
  type CheckedNew,
  type CheckedUse,
  checkNew,
  checkUse,
  noteUse,
} from '#operations/passkeys/shared/check-passkey.ts'
import type {
  NewCredentialInput,
  UsedCredentialInput,
} from '#operations/passkeys/shared/passkey-input-schemas.ts'
import { Refused, refused } from '#operations/kernel/returned-error.ts'

export interface SecondInput {
  readonly passkey?: z.output<typeof UsedCredentialInput> | undefined
  readonly newPasskey?:
    | { readonly name: string; readonly credential: z.output<typeof NewCredentialInput> }
    | undefined
}

export type SecondFactor =
  | { readonly kind: 'not_needed' }
  | { readonly kind: 'used'; readonly checked: CheckedUse }
  | { readonly kind: 'new'; readonly checked: CheckedNew; readonly name: string }

type SecondRefusal = Refused<'passkey_required' | 'passkey_rejected'>

/**
 * A member who has a passkey must use it. If the organization requires a passkey, a member without one must register
 * one. Until then, an attacker who knows the password could register a passkey instead of the member.
 */
export async function checkSecond(
  member: Member,
  { newPasskey, passkey }: SecondInput,
  context: Pick<PublicContext, 'nowMs' | 'ports' | 'store'>,
): Promise<SecondFactor | SecondRefusal> {
  const { passkeys } = context.store
  const isRegistered = (await passkeys.countOf(member.id)) > 0
  if (isRegistered) {
    if (passkey === undefined) return required(false)
    const checked = await checkUse(passkey, false, context)
    if (checked instanceof Refused) return checked
    if (checked.passkey.memberId !== member.id) {
      return refused('passkey_rejected', { reason: 'it belongs to another member' })
    }
    return { kind: 'used', checked }
  }
  if (!(await passkeys.isRequired(member.organizationId))) return { kind: 'not_needed' }
  if (newPasskey === undefined) return required(true)
  const checked = await checkNew(newPasskey.credential, null, context)
  return checked instanceof Refused ? checked : { kind: 'new', checked, name: newPasskey.name }
}

/**
 * Records the use of the second factor, or adds the new passkey. Call this in the transaction of the sign-in. Returns
 * null if the member may sign in.
 */
export async function noteSecond(
  second: SecondFactor,
  member: Member,
  context: Pick<PublicContext, 'nowMs' | 'ports' | 'store'>,
): Promise<SecondRefusal | null> {
  const isRegistered = (await context.store.passkeys.countOf(member.id)) > 0
  switch (second.kind) {
    case 'used':
      return noteUse(second.checked, context)
    case 'new': {
      // Another sign-in has registered a passkey in the meantime, which the member must now use.
      if (isRegistered) return required(false)
      const added = await addPasskey(second.checked, { member, name: second.name }, context)
      return added instanceof Refused ? added : null
    }
    case 'not_needed':
      return isRegistered ? required(false) : null
    default:
      return second satisfies never
  }
}

function required(isNew: boolean): Refused<'passkey_required'> {
  const step = isNew
    ? 'Your organization requires passkeys, so register one now'
    : 'Use a passkey that you have registered'
  return refused('passkey_required', { step, register: isNew })
}
