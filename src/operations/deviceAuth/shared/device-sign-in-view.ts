import * as z from 'zod'
import { lowerRole, type Role as RoleName } from '#domain/people/team-roles.ts'
import type { DeviceSignIn } from '#domain/people/device-sign-ins.ts'
import { sha256 } from '#domain/secrets/sha256.ts'
import { readUserCode } from '#domain/people/device-sign-in-code.ts'
import type { Context } from '#operations/kernel/operation-context.ts'
import { type Refused, refused } from '#operations/kernel/returned-error.ts'
import { Role, text, Timestamp } from '#operations/kernel/value-and-page-schemas.ts'

export const UserCode = text(32).meta({
  description: 'Code that the device shows. Case, hyphens and spaces are ignored.',
  examples: ['WDJB-MJHT'],
})

export const DeviceSignInView = z
  .object({
    clientName: z.string().nullable().meta({
      description:
        'Name that the device reports. The server does not verify this name. Null if the device reports no name.',
    }),
    address: z.string().meta({ description: 'Network address of the device.' }),
    userAgent: z
      .string()
      .meta({ description: 'User agent that the device reported. The server does not verify this value.' }),
    askedRole: Role.nullable().meta({
      description: 'Role that the device requested. Null if the device requested no role.',
    }),
    role: Role.meta({
      description:
        'Role of the token after approval. This role is never higher than the role of the approving member.',
    }),
    createdAt: Timestamp.meta({ description: 'When the device started the sign-in.' }),
    expiresAt: Timestamp.meta({ description: 'When the device code and the user code expire.' }),
  })
  .meta({ id: 'DeviceSignIn', description: 'A device that requests a sign-in.' })

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

export async function waitingSignIn(
  userCode: string,
  { nowMs, store }: Context,
): Promise<DeviceSignIn | Refused<'not_found'>> {
  const code = readUserCode(userCode)
  const signIn = code === null ? null : await store.deviceSignIns.byUserCode(sha256(code))
  if (signIn && signIn.expiresAtMs > nowMs && signIn.decision === null) return signIn
  return noSuchCode()
}

/** Omits the code, because the member may already have approved or denied it. */
export function noSuchCode(): Refused<'not_found'> {
  return refused('not_found', { resource: 'pending sign-in', id: 'with this code' }, 'userCode')
}
