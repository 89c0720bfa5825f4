/**
 * Sign-ins of devices without a browser (RFC 8628). The device starts the sign-in, a member approves or denies the
 * sign-in, and the device redeems an approved sign-in once.
 */
import type { Role } from './team-roles.ts'

export interface DeviceSignIn {
  readonly id: string
  readonly clientName: string | null
  readonly askedRole: Role | null
  readonly address: string
  readonly userAgent: string
  readonly createdAtMs: number
  readonly expiresAtMs: number
  readonly decision: 'approved' | 'denied' | null
  /** Null until a member approves the sign-in. */
  readonly organizationId: string | null
  /** ID of the member who approved the sign-in. */
  readonly memberId: string | null
  /** Role of the token that the device receives. */
  readonly role: Role | null
}

type Decision = Pick<DeviceSignIn, 'organizationId' | 'memberId' | 'role'> & {
  readonly decision: 'approved' | 'denied'
}

export interface DeviceSignIns {
  insert(signIn: DeviceSignIn, hashes: { readonly device: string; readonly user: string }): Promise<void>
  /** Returns the sign-in even if it has expired. */
  byDevice(hash: string): Promise<DeviceSignIn | null>
  byUserCode(hash: string): Promise<DeviceSignIn | null>
  liveCount(nowMs: number): Promise<number>
  /** @returns false if the sign-in was already decided */
  decide(id: string, decision: Decision): Promise<boolean>
  /**
   * Redeems an approved sign-in by deleting its row. @returns false if another request has already redeemed the sign-in
   */
  redeem(id: string): Promise<boolean>
  prune(nowMs: number): Promise<void>
}
