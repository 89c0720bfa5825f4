import * as z from 'zod'
import { lowerRole, type Role as RoleName } from '#domain/people/role.ts'
import type { DeviceSignIn } from '#domain/people/device-sign-ins.ts'
import { sha256 } from '#domain/secrets/sha256.ts'
import { readUserCode } from '#domain/people/user-code.ts'
import type { Context } from '#operations/context.ts'
import { type Refused, refused } from '#operations/refused.ts'
import { Role, text, Timestamp } from '#operations/schemas.ts'

export const UserCode = text(32).meta({
  description: 'The code that the device shows; case, hyphens and spaces do not matter.',
  examples: ['WDJB-MJHT'],
})

export const DeviceSignInView = z
  .object({
    clientName: z.string().nullable().meta({
      description: 'What the device calls itself; null: it does not say. Anybody can say anything here.',
    }),
    address: z.string().meta({ description: 'Network address from which the device asked.' }),
    userAgent: z.string().meta({ description: 'What its program called itself.' }),
    askedRole: Role.nullable().meta({
      description: 'The role that the device asked for; null: it does not say.',
    }),
    role: Role.meta({
      description: 'What its token may do once approved: never more than the member who approves.',
    }),
    createdAt: Timestamp.meta({ description: 'When the device asked.' }),
    expiresAt: Timestamp.meta({ description: 'When its codes expire.' }),
  })
  .meta({ id: 'DeviceSignIn', description: 'A device that asks to be signed in.' })

/** @param approver the role of the member who views the sign-in */
export function deviceSignInView(
  signIn: DeviceSignIn,
  approver: RoleName,
): z.output<typeof DeviceSignInView> {
  return {
    clientName: signIn.clientName,
    address: signIn.address,
    userAgent: signIn.userAgent,
    askedRole: signIn.askedRole,
    role: grantedRole(signIn, approver),
    createdAt: signIn.createdAtMs,
    expiresAt: signIn.expiresAtMs,
  }
}

export function grantedRole({ askedRole }: DeviceSignIn, approver: RoleName): RoleName {
  return lowerRole(askedRole ?? 'admin', approver)
}

/** Returns the pending sign-in of a code. */
export async function waitingSignIn(
  userCode: string,
  { nowMs, store }: Context,
): Promise<DeviceSignIn | Refused<'not_found'>> {
  const code = readUserCode(userCode)
  const signIn = code === null ? null : await store.deviceSignIns.byUserCode(sha256(code))
  if (signIn && signIn.expiresAtMs > nowMs && signIn.decision === null) return signIn
  return noSuchCode()
}

/** Does not repeat the code, because it may be one that was already decided. */
export function noSuchCode(): Refused<'not_found'> {
  return refused('not_found', { resource: 'sign-in that waits', id: 'with this code' }, 'userCode')
}
