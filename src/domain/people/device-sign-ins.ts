/** Sign-ins of devices without a browser (RFC 8628): from the start to a decision, and to the one redemption. */
import type { Role } from './role.ts'

export interface DeviceSignIn {
  readonly id: string
  /** As the device calls itself. */
  readonly clientName: string | null
  /** The role that the device asks for; null: it does not say. */
  readonly askedRole: Role | null
  /** Where the device asked from. */
  readonly address: string
  readonly userAgent: string
  readonly createdAtMs: number
  readonly expiresAtMs: number
  /** Null: nobody has decided. */
  readonly decision: 'approved' | 'denied' | null
  /** Of an approved one: the organization, who approved, and the role of the token. */
  readonly organizationId: string | null
  readonly memberId: string | null
  readonly role: Role | null
}

type Decision = Pick<DeviceSignIn, 'organizationId' | 'memberId' | 'role'> & {
  readonly decision: 'approved' | 'denied'
}

export interface DeviceSignIns {
  insert(signIn: DeviceSignIn, hashes: { readonly device: string; readonly user: string }): Promise<void>
  /** Expired ones too. */
  byDevice(hash: string): Promise<DeviceSignIn | null>
  byUserCode(hash: string): Promise<DeviceSignIn | null>
  /** Those that have not expired. */
  liveCount(nowMs: number): Promise<number>
  /** @returns false: it was decided before */
  decide(id: string, decision: Decision): Promise<boolean>
  /** Removes an approved one for its redemption. @returns false: another request has redeemed it */
  redeem(id: string): Promise<boolean>
  /** Removes expired ones. */
  prune(nowMs: number): Promise<void>
}
